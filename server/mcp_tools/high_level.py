"""Whole tasks: `execute_task` and what belongs to it.

A task lives in the server, not in the call: no call takes longer than 25 seconds, and a call that
is made again with an answer never starts a second task.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import Field

from device.errors import DeviceError
from server.errors import BadRequestError, TaskStateError
from server.hands import Hands
from server.loop.options import LoopOptions
from server.mcp_tools.asking import Given, TextAnswer, YesNo, ask, given_before, read_state
from server.mcp_tools.calls import Threads
from server.mcp_tools.veil import Veil
from server.tasks.feed import TaskEvent
from server.tasks.request import TaskInfo, TaskRequest
from server.tasks.runner import TaskRunner

MAX_SUMMARIES = 200
WAIT_MAX_S = 25.0
"""Longest call: clients give up after 30 to 60 seconds."""
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
STEERS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)

TaskId = Annotated[str, Field(description="As execute_task gave it.")]
WaitOption = Annotated[
    float,
    Field(
        ge=0,
        le=WAIT_MAX_S,
        description="Wait so long for the end or a question; then it runs on, and task_wait waits.",
    ),
]
Result = Any
"""`CallToolResult`, or a question (`InputRequiredResult`)."""


def add_high_level_tools(mcp: MCPServer[Any], tasks: TaskRunner, hands: Hands, veil: Veil) -> None:
    """Put the tools into the server."""
    threads = Threads()
    summaries: OrderedDict[tuple[str, int], str] = OrderedDict()

    def summarise(info: TaskInfo) -> str:
        """`state_summary` of a task that rests: written once for a step; blocking."""
        key = (info.task_id, info.steps)
        if key not in summaries:
            if _is_driven(tasks, info):
                return ""  # the phone shows another task's screen by now
            try:
                _, shot, tree, front = hands.read_tree(info.serial)
            except DeviceError:
                return ""  # the phone is gone: there is no screen to tell of
            summaries[key] = veil.describe(info.task, shot, tree, front)
            while len(summaries) > MAX_SUMMARIES:
                summaries.popitem(last=False)
        return summaries[key]

    async def told(info: TaskInfo) -> Result:
        facts = report(info)
        if not veil.is_open and facts["status"] != "running":
            facts["state_summary"] = await threads.run(summarise, info)
        return veil.answer(facts, own=info.task)

    async def attend(ctx: Context[Any, Any], task_id: str, timeout_s: float) -> Result:
        """Watch a task: progress to the client, questions to the person, until something is due."""
        refused = await _take_answer(tasks, threads, ctx, task_id)
        feed = tasks.feed(task_id)
        seen = feed.last_id
        until = time.monotonic() + timeout_s
        while True:
            info = await threads.run(tasks.get, task_id)
            if info.state == "done":
                return await told(info)
            if info.asked is not None and not refused:
                asked = await _ask_person(ctx, info, veil)
                if isinstance(asked, InputRequiredResult):
                    return asked
                if asked is not None and asked.action == "accept":
                    await _give(tasks, threads, task_id, asked)
                    continue
            if info.asked is not None:
                return await told(info)
            left_s = until - time.monotonic()
            if left_s <= 0:
                return await told(info)
            for event in await feed.wait_after(seen, left_s):
                seen = event.id
                await _report_progress(ctx, event, veil)

    @mcp.tool(annotations=RUNS, structured_output=False)
    @veil.guards
    async def execute_task(
        ctx: Context[Any, Any],
        task_description: Annotated[
            str, Field(min_length=1, max_length=20_000, description="What to do, in plain words.")
        ],
        device: Annotated[
            str | None, Field(description="Serial or name. Default: the only phone.")
        ] = None,
        tag: Annotated[str | None, Field(description="Or any ready phone with this tag.")] = None,
        max_steps: Annotated[int, Field(ge=1, le=400)] = 40,
        reset_environment: Annotated[
            bool, Field(description="Start from the home screen.")
        ] = False,
        reply_mode: Literal["pass_to_client", "auto_reply", "no_reply"] = "pass_to_client",
        approve: Annotated[
            list[str] | None,
            Field(description="Classes of risk the user said yes to beforehand, such as `send`."),
        ] = None,
        session_id: Annotated[
            str | None, Field(description="Go on in the session of an earlier task.")
        ] = None,
        reply_from_client: Annotated[
            str | None, Field(description="With session_id: the answer it waited for.")
        ] = None,
        wait_s: WaitOption = 20.0,
    ) -> Result:
        """Have a whole task done on a phone by the agent that lives there.

        Returns its result if it ends soon; else its `task_id` with the status `running` (then call
        task_wait) or `waiting_user` (then ask the user, and call task_reply or task_confirm).
        """
        state = read_state(ctx)
        if state is not None and isinstance(state.get("task_id"), str):
            return await attend(ctx, state["task_id"], wait_s)
        request = TaskRequest(
            task=task_description,
            serial=veil.serial(device),
            tag=tag,
            session_id=session_id,
            reply=(reply_from_client or task_description) if session_id else "",
            options=LoopOptions(
                max_steps=max_steps,
                reset_environment=reset_environment,
                reply_mode=reply_mode,
                approve=tuple(approve or ()),
            ),
        )
        info = await threads.run(tasks.start, request)
        return await attend(ctx, info.task_id, wait_s)

    @mcp.tool(annotations=RUNS, structured_output=False)
    @veil.guards
    async def ask_agent(
        ctx: Context[Any, Any],
        device_id: Annotated[str | None, Field(description="Serial. Default: the only phone.")],
        task: Annotated[str | None, Field(max_length=20_000)] = None,
        max_steps: Annotated[int, Field(ge=1, le=400)] = 20,
        session_id: str | None = None,
        reply_from_client: str | None = None,
        wait_s: WaitOption = 20.0,
    ) -> Result:
        """Have a task done (as execute_task), or go on in a session with the user's reply."""
        state = read_state(ctx)
        if state is not None and isinstance(state.get("task_id"), str):
            return await attend(ctx, state["task_id"], wait_s)
        words = reply_from_client or task
        if words is None:
            raise BadRequestError("say what to do: task, or session_id and reply_from_client")
        if session_id is not None:
            waiting = await threads.run(_waiting_task, tasks, session_id)
            if waiting is not None:
                await threads.run(tasks.reply, waiting, words)
                return await attend(ctx, waiting, wait_s)
        request = TaskRequest(
            task=task or words,
            serial=veil.serial(device_id),
            session_id=session_id,
            reply=words if session_id else "",
            options=LoopOptions(max_steps=max_steps),
        )
        info = await threads.run(tasks.start, request)
        return await attend(ctx, info.task_id, wait_s)

    @mcp.tool(annotations=READS, structured_output=False)
    @veil.guards
    async def task_status(task_id: TaskId) -> Result:
        """How a task stands now; returns at once."""
        return await told(await threads.run(tasks.get, task_id))

    @mcp.tool(annotations=READS, structured_output=False)
    @veil.guards
    async def task_wait(
        ctx: Context[Any, Any], task_id: TaskId, timeout_s: WaitOption = 20.0
    ) -> Result:
        """Wait for the end of a task or its next question, at most 25 seconds; call it again."""
        await threads.run(tasks.get, task_id)
        return await attend(ctx, task_id, timeout_s)

    @mcp.tool(annotations=STEERS, structured_output=False)
    @veil.guards
    async def task_reply(
        task_id: TaskId,
        text: Annotated[str, Field(max_length=20_000, description="The user's own words.")],
    ) -> Result:
        """Answer the question of a task that is `waiting_user`, in the user's words."""
        return await told(await threads.run(tasks.reply, task_id, text))

    @mcp.tool(annotations=STEERS, structured_output=False)
    @veil.guards
    async def task_confirm(
        task_id: TaskId,
        confirm_id: Annotated[str, Field(description="`confirm.id` of the status.")],
        approve: Annotated[bool, Field(description="What the user said. Never decide yourself.")],
    ) -> Result:
        """Hand the user's yes or no to the one action that waits for it."""
        return await told(await threads.run(tasks.confirm, task_id, approve, confirm_id))

    @mcp.tool(annotations=STEERS, structured_output=False)
    @veil.guards
    async def task_pause(task_id: TaskId) -> Result:
        """Keep a task from its phone until task_resume."""
        return await told(await threads.run(tasks.pause, task_id))

    @mcp.tool(annotations=RUNS, structured_output=False)
    @veil.guards
    async def task_resume(task_id: TaskId) -> Result:
        """Let a paused task go on, or one that was interrupted or failed from outside."""
        return await told(await threads.run(tasks.resume, task_id))

    @mcp.tool(annotations=STEERS, structured_output=False)
    @veil.guards
    async def task_take_over(task_id: TaskId) -> Result:
        """Take the phone from a task for the user, or for single inputs; it waits meanwhile."""
        return await told(await threads.run(tasks.take_over, task_id))

    @mcp.tool(annotations=RUNS, structured_output=False)
    @veil.guards
    async def task_give_back(
        task_id: TaskId,
        note: Annotated[
            str, Field(max_length=20_000, description="What was done; the agent is told.")
        ] = "",
    ) -> Result:
        """Give the phone back to its task, which looks at the screen anew."""
        return await told(await threads.run(tasks.give_back, task_id, note))

    @mcp.tool(annotations=RUNS, structured_output=False)
    @veil.guards
    async def task_retry(task_id: TaskId) -> Result:
        """Start a task that is over again from the beginning; the answer has its new task_id."""
        return await told(await threads.run(tasks.retry, task_id))

    @mcp.tool(annotations=STEERS, structured_output=False)
    @veil.guards
    async def task_stop(task_id: TaskId) -> Result:
        """End a task: no input reaches the phone from now on."""
        return await told(await threads.run(tasks.stop, task_id))

    @mcp.tool(annotations=READS, structured_output=False)
    @veil.guards
    async def task_result(task_id: TaskId) -> Result:
        """The whole result of a task that is over: every step, what it used, how to replay it."""
        info = await threads.run(tasks.get, task_id)
        if info.result is None:
            raise TaskStateError(f"the task is {info.state}; wait for its end with task_wait")
        facts = dict(info.result)
        if not veil.is_open:
            facts["state_summary"] = await threads.run(summarise, info)
        return veil.answer(facts, own=info.task)


def _is_driven(tasks: TaskRunner, info: TaskInfo) -> bool:
    """Whether another task drives the phone of this one."""
    return any(
        other.serial == info.serial and other.task_id != info.task_id
        for other in tasks.list(limit=500)
        if other.state not in ("queued", "done")
    )


def report(info: TaskInfo) -> dict[str, Any]:
    """A task in a few words: what an outer model needs to decide what to do next."""
    waiting = info.asked is not None
    facts: dict[str, Any] = {
        "task_id": info.task_id,
        "session_id": info.session_id,
        "device": info.serial,
        "status": "done" if info.state == "done" else "waiting_user" if waiting else "running",
        "state": info.state,
        "steps": info.steps,
    }
    if waiting:
        facts["question"] = info.question
        facts["next"] = "ask the user, then call task_reply"
    if info.asked is not None and info.state == "waiting_confirm":
        shown = {name: value for name, value in info.asked.facts.items() if name != "screen"}
        facts["confirm"] = {"id": info.asked.id, **shown}
        facts["next"] = "ask the user for a yes or no, then call task_confirm"
    if info.state == "done" and info.result is not None:
        facts["stop_reason"] = info.stop_reason
        facts["message"] = info.result.get("message", "")
        facts["error"] = info.result.get("error")
        facts["usage"] = info.usage.to_wire()
    elif info.hold is not None:
        facts["hold"] = info.hold
        facts["next"] = "task_resume" if info.hold == "paused" else "task_give_back"
    elif not waiting:
        facts["next"] = "call task_wait"
    return facts


async def _ask_person(
    ctx: Context[Any, Any], info: TaskInfo, veil: Veil
) -> Given | InputRequiredResult | None:
    assert info.asked is not None
    is_confirm = info.state == "waiting_confirm"
    state = {"task_id": info.task_id, "question_id": info.asked.id, "confirm": is_confirm}
    form = YesNo if is_confirm else TextAnswer
    words = info.asked.text or "The phone is yours; say when you are done."
    return await ask(ctx, veil.text(words, info.task), form, state)


async def _take_answer(
    tasks: TaskRunner, threads: Threads, ctx: Context[Any, Any], task_id: str
) -> bool:
    """The answer that came with a call that was made again; whether the person declined."""
    state = read_state(ctx)
    if state is None or state.get("task_id") != task_id:
        return False
    given = given_before(ctx, YesNo if state.get("confirm") else TextAnswer)
    if given is None:
        return False
    if given.action == "accept":
        await _give(tasks, threads, task_id, given)
        return False
    return True


async def _give(tasks: TaskRunner, threads: Threads, task_id: str, given: Given) -> None:
    """Hand an answer to the task, unless it waits for something else by now."""
    info = await threads.run(tasks.get, task_id)
    if info.asked is None or info.asked.id != given.state.get("question_id"):
        return
    if given.state.get("confirm"):
        await threads.run(tasks.confirm, task_id, given.value is True, info.asked.id)
    else:
        await threads.run(tasks.reply, task_id, str(given.value))


def _waiting_task(tasks: TaskRunner, session_id: str) -> str | None:
    """The task of this session that waits for words, if one does."""
    for info in tasks.list(limit=500):
        if info.session_id == session_id and info.state in ("waiting_reply", "taken_over"):
            return info.task_id
    return None


async def _report_progress(ctx: Context[Any, Any], event: TaskEvent, veil: Veil) -> None:
    if event.kind != "task_step":
        return
    step = int(event.data.get("local_step_idx", 0))
    action = dict(event.data.get("agent_action") or {})
    words = str(action.get("explain") or action.get("summary") or "") if veil.is_open else ""
    await ctx.report_progress(
        float(step), None, f"step {step}: {action.get('action')} {words}".strip()
    )
