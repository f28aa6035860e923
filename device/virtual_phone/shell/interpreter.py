"""Runs parsed scripts: pipelines, redirects, variables, jobs.

Only commands of the phone's own table are ever run; there is no way to a program of the host.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, assert_never

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.builtins import BUILTINS, LeaveLoop, LeaveShell
from device.virtual_phone.shell.expansion import Expander
from device.virtual_phone.shell.io import (
    BytesSink,
    BytesSource,
    NullSink,
    Pipe,
    PipeSink,
    Sink,
    Source,
)
from device.virtual_phone.shell.lexer import ShellSyntaxError
from device.virtual_phone.shell.parser import (
    AndOr,
    For,
    Group,
    If,
    Node,
    Pipeline,
    Redirect,
    Script,
    Simple,
    While,
    parse_script,
)
from device.virtual_phone.shell.process import (
    Command,
    Process,
    Streams,
    decode_text,
    encode_text,
)

if TYPE_CHECKING:
    from device.virtual_phone.fs import Node as FileNode
    from device.virtual_phone.userland import Userland

_MAX_DEPTH = 30


class FileSink:
    """Writes into a file of the phone."""

    def __init__(self, system: Userland, node: FileNode) -> None:
        self._fs = system.fs
        self._node = node

    async def write(self, data: bytes) -> None:
        """Appends bytes.

        Raises:
            FileError: The disk is full.
        """
        self._fs.append_data(self._node, data)

    async def close(self) -> None:
        """Nothing to do: every write is in place already."""


class Interpreter:
    """One shell: its variables, directory and last exit code."""

    def __init__(
        self,
        system: Userland,
        variables: dict[str, str] | None = None,
        parameters: list[str] | None = None,
        cwd: str = "/",
        depth: int = 0,
    ) -> None:
        """Starts a shell.

        Args:
            system: The phone it runs on.
            variables: Its variables; by default the environment of adb's shell.
            parameters: `$0`, `$1`, ...
            cwd: Its directory.
            depth: How many shells it runs inside of.
        """
        self.system = system
        self.variables = dict(system.environment) if variables is None else variables
        self.parameters = parameters if parameters is not None else ["/system/bin/sh"]
        self.cwd = cwd
        self.depth = depth
        self.status = 0
        self.last_job_pid = ""
        self.jobs: set[asyncio.Task[int]] = set()

    async def run(self, source: str, streams: Streams) -> int:
        """Runs a command line and gives the last exit code, 0..255."""
        try:
            script = parse_script(source)
        except ShellSyntaxError as error:
            await self._complain(streams, str(error))
            return 1
        try:
            return await self._script(script, streams)
        except LeaveShell as leave:
            return leave.status
        except LeaveLoop:
            return self.status

    def fork(self) -> Interpreter:
        """A shell with a copy of everything, for `( )`, pipes and `$( )`."""
        child = Interpreter(
            self.system, dict(self.variables), list(self.parameters), self.cwd, self.depth + 1
        )
        child.status = self.status
        return child

    async def call(self, name: str, args: list[str], streams: Streams) -> int:
        """Runs one command by name: a builtin, a command of the phone, or a script file."""
        builtin = BUILTINS.get(name)
        if builtin is not None:
            return await self.system.guard(builtin, Process(self.system, self, name, args, streams))
        command = self.system.find_command(name)
        if command is None:
            return await self._call_file(name, args, streams)
        return await self.system.run_process(
            command, Process(self.system, self, name.rsplit("/", 1)[-1], args, streams)
        )

    async def _script(self, script: Script, streams: Streams) -> int:
        for statement in script.statements:
            if statement.background:
                self._start_job(statement, streams)
                self.status = 0
            else:
                await self._and_or(statement, streams)
        return self.status

    def _start_job(self, statement: AndOr, streams: Streams) -> None:
        child = self.fork()
        quiet = Streams(BytesSource(), streams.stdout, streams.stderr)
        pid, job = self.system.start_job(child.run_statement(statement, quiet))
        self.last_job_pid = str(pid)
        self.jobs.add(job)
        job.add_done_callback(self.jobs.discard)

    async def run_statement(self, statement: AndOr, streams: Streams) -> int:
        """Runs one statement as a job of its own."""
        try:
            return await self._and_or(statement, streams)
        except LeaveShell as leave:
            return leave.status
        except LeaveLoop:
            return 0
        except BrokenPipeError:
            return 141

    async def _and_or(self, statement: AndOr, streams: Streams) -> int:
        for operator, pipeline in statement.links:
            if operator == "&&" and self.status != 0:
                continue
            if operator == "||" and self.status == 0:
                continue
            self.status = await self._pipeline(pipeline, streams)
        return self.status

    async def _pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        if len(pipeline.commands) == 1:
            status = await self._node(pipeline.commands[0], streams)
        else:
            status = await self._pipe(pipeline.commands, streams)
        return int(status == 0) if pipeline.negated else status

    async def _pipe(self, commands: tuple[Node, ...], streams: Streams) -> int:
        pipes = [Pipe() for _ in commands[1:]]
        sources: list[Source] = [streams.stdin, *pipes]
        sinks: list[Sink] = [*(PipeSink(pipe) for pipe in pipes), streams.stdout]
        ends: list[Pipe | None] = [*pipes, None]
        starts: list[Pipe | None] = [None, *pipes]
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    self.fork()._stage(command, Streams(source, sink, streams.stderr), start, end)
                )
                for command, source, sink, start, end in zip(
                    commands, sources, sinks, starts, ends, strict=True
                )
            ]
        return tasks[-1].result()

    async def _stage(
        self, command: Node, streams: Streams, start: Pipe | None, end: Pipe | None
    ) -> int:
        """Runs one part of a pipe, and lets go of the pipe's ends that are its own."""
        try:
            return await self._node(command, streams)
        except LeaveShell as leave:
            return leave.status
        except LeaveLoop:
            return 0
        except BrokenPipeError:
            return 141
        finally:
            if end is not None:
                await end.end()
            if start is not None:
                await start.hang_up()

    async def _node(self, node: Node, streams: Streams) -> int:
        if self.depth > _MAX_DEPTH:
            await self._complain(streams, "shells are nested too deep")
            return 1
        try:
            match node:
                case Simple():
                    return await self._simple(node, streams)
                case Group():
                    return await self._group(node, streams)
                case If():
                    return await self._if(node, streams)
                case For():
                    return await self._for(node, streams)
                case While():
                    return await self._while(node, streams)
                case _ as never:
                    assert_never(never)
        except ShellSyntaxError as error:
            await self._complain(streams, str(error))
            return 1

    async def _simple(self, node: Simple, streams: Streams) -> int:
        expander = self._expander(streams)
        fields = await expander.fields(node.words)
        values = {name: await expander.text(word) for name, word in node.assignments}
        redirected = await self._redirect(node.redirects, streams)
        if redirected is None:
            return 1
        if not fields:
            self.variables.update(values)
            return self.status if not values and node.words else 0
        before = dict(self.variables) if values else None
        self.variables.update(values)
        try:
            return await self.call(fields[0], fields[1:], redirected)
        except FileError as error:
            await self._complain(streams, f"{fields[0]}: write: {error.text}")
            return 1
        finally:
            if before is not None:
                self.variables = before

    async def _group(self, node: Group, streams: Streams) -> int:
        redirected = await self._redirect(node.redirects, streams)
        if redirected is None:
            return 1
        if not node.subshell:
            return await self._script(node.body, redirected)
        try:
            return await self.fork()._script(node.body, redirected)
        except LeaveShell as leave:
            return leave.status

    async def _if(self, node: If, streams: Streams) -> int:
        for condition, body in node.branches:
            if await self._script(condition, streams) == 0:
                return await self._script(body, streams)
        self.status = 0
        return await self._script(node.otherwise, streams) if node.otherwise else 0

    async def _for(self, node: For, streams: Streams) -> int:
        for value in await self._expander(streams).fields(node.words):
            self.variables[node.name] = value
            if not await self._loop_body(node.body, streams):
                break
        return self.status

    async def _while(self, node: While, streams: Streams) -> int:
        status = 0
        while (await self._script(node.condition, streams) != 0) == node.until:
            if not await self._loop_body(node.body, streams):
                break
            status = self.status
        return status

    async def _loop_body(self, body: Script, streams: Streams) -> bool:
        """Runs a loop once; False ends the loop. Gives way so that a loop can be cancelled."""
        await asyncio.sleep(0)
        try:
            await self._script(body, streams)
        except LeaveLoop as leave:
            if leave.levels > 1:
                raise LeaveLoop(leave.levels - 1, goes_on=leave.goes_on) from None
            return leave.goes_on
        return True

    def _expander(self, streams: Streams) -> Expander:
        async def run(source: str) -> str:
            sink = BytesSink()
            child = self.fork()
            if child.depth > _MAX_DEPTH:
                raise ShellSyntaxError("shells are nested too deep")
            self.status = await child.run(source, Streams(streams.stdin, sink, streams.stderr))
            return decode_text(bytes(sink.data)).replace("\0", "")

        special = {"?": str(self.status), "$": "4242", "!": self.last_job_pid, "-": ""}
        variables = {**self.variables, **special, "PWD": self.cwd}
        return Expander(self.system.fs, self.cwd, variables, self.parameters, run)

    async def _redirect(self, redirects: tuple[Redirect, ...], streams: Streams) -> Streams | None:
        """Opens the files of redirects; None after a message if one can't be opened."""
        source: Source = streams.stdin
        sinks: dict[int, Sink] = {1: streams.stdout, 2: streams.stderr}
        for redirect in redirects:
            target = await self._expander(streams).text(redirect.target)
            if redirect.operator in (">&", "<&"):
                if target == "-":
                    sinks[redirect.descriptor] = NullSink()
                elif target.isdecimal() and int(target) in sinks:
                    sinks[redirect.descriptor] = sinks[int(target)]
                else:
                    await self._complain(streams, f"{target}: bad file descriptor")
                    return None
                continue
            path = self.system.fs.join(self.cwd, target)
            try:
                if redirect.operator == "<":
                    source = self.system.open_source(path)
                else:
                    sinks[redirect.descriptor] = self.system.open_sink(
                        path, append=redirect.operator == ">>", terminal=streams.stdout
                    )
            except FileError as error:
                verb = "open" if redirect.operator == "<" else "create"
                await self._complain(streams, f"can't {verb} {target}: {error.text}")
                return None
        return Streams(source, sinks[1], sinks[2])

    async def _call_file(self, name: str, args: list[str], streams: Streams) -> int:
        if "/" not in name:
            await self._complain(streams, f"{name}: {self.system.not_found_text}")
            return 127
        path = self.system.fs.join(self.cwd, name)
        try:
            node = self.system.fs.find(path)
            data = self.system.fs.read(path)
        except FileError as error:
            missing = error.number == 2
            text = self.system.not_found_text if missing else f"can't execute: {error.text}"
            await self._complain(streams, f"{name}: {text}")
            return 127 if missing else 126
        if not node.mode & 0o111:
            await self._complain(streams, f"{name}: can't execute: Permission denied")
            return 126
        if data.startswith(b"\x7fELF"):
            await self._complain(streams, f"{name}: not executable: 64-bit ELF file")
            return 126
        child = self.fork()
        child.parameters = [name, *args]
        return await child.run(decode_text(data), streams)

    async def _complain(self, streams: Streams, text: str) -> None:
        await streams.stderr.write(encode_text(f"/system/bin/sh: {text}\n"))


__all__ = ["Command", "FileSink", "Interpreter"]
