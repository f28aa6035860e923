"""Commands on phones, real and virtual. Options and help.

What a command does is imported when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from server.cli.options import ConfigOption, JsonOption, Locale, SerialOption

phone_app = typer.Typer(rich_markup_mode=None)


@phone_app.command()
def devices(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the phones that adb sees, and how to mend bad ones."""
    from server.commands.phones import devices_command

    raise typer.Exit(devices_command(config_dir=config, as_json=as_json))


@phone_app.command()
def doctor(
    serial: SerialOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Say what is missing between you and the phone, and the fix."""
    from server.commands.phones import doctor_command

    raise typer.Exit(doctor_command(serial=serial, config_dir=config, as_json=as_json))


@phone_app.command()
def phone(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port for adb; 0 takes a free one.")
    ] = 0,
    locale: Annotated[Locale, typer.Option(help="Language of the phone.")] = Locale.ZH,
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Screen size in pixels. Default: its own.")
    ] = None,
    personality: Annotated[
        str, typer.Option(metavar="NAME", help="Whose phone: pixel14, samsung_oneui, foldable, ...")
    ] = "pixel14",
    vendor_switch: Annotated[
        bool, typer.Option("--vendor-switch", help="The maker's second debugging switch is on.")
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[:times=N]", help="Misbehave so; see docs/virtual-phone.md."),
    ] = None,
    connect: Annotated[bool, typer.Option(help="Connect it to this machine's adb server.")] = True,
) -> None:
    """Start a virtual phone: a device for adb with screen and apps."""
    from server.commands.phones import phone_command

    raise typer.Exit(
        phone_command(
            port=port,
            locale=locale.value,
            size=size,
            personality=personality,
            vendor_switch=vendor_switch,
            faults=fault or [],
            connect=connect,
        )
    )


AddressArgument = Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="Its address.")]


YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


SerialArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SERIAL]", help="Serial or name. Default: the only one that is ready."),
]


@phone_app.command()
def connect(address: AddressArgument, as_json: JsonOption = False) -> None:
    """Connect a phone over the network (wireless debugging)."""
    from server.commands.connecting import connect_command

    raise typer.Exit(connect_command(address, as_json=as_json))


@phone_app.command()
def pair(
    address: AddressArgument,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code on the phone's screen.")],
) -> None:
    """Pair with a phone that shows a pairing code (--help: how).

    On the phone: Developer options, Wireless debugging, Pair device with pairing code. The port
    is that of the dialog; the port to connect to afterwards is on the page behind it.
    """
    from server.commands.connecting import pair_command

    raise typer.Exit(pair_command(address, code))


@phone_app.command()
def disconnect(address: AddressArgument) -> None:
    """Let a network phone go, with its keyboard given back."""
    from server.commands.connecting import disconnect_command

    raise typer.Exit(disconnect_command(address))


keyboard = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Install or remove the keyboard that types Chinese and emoji.",
)


phone_app.add_typer(keyboard, name="keyboard")


@keyboard.command("install")
def keyboard_install(
    serial: SerialArgument = None, yes: YesOption = False, config: ConfigOption = None
) -> None:
    """Say what it does, ask, and install the helper keyboard."""
    from server.commands.connecting import keyboard_install_command

    raise typer.Exit(keyboard_install_command(serial, yes=yes, config_dir=config))


@keyboard.command("remove")
def keyboard_remove(
    serial: SerialArgument = None, yes: YesOption = False, config: ConfigOption = None
) -> None:
    """Take the helper keyboard off the phone again."""
    from server.commands.connecting import keyboard_remove_command

    raise typer.Exit(keyboard_remove_command(serial, yes=yes, config_dir=config))
