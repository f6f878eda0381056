"""All commands of the prompt, in the order of its help."""

from collections.abc import Mapping

from airtcp.shell import (
    change_commands,
    keep_commands,
    network_commands,
    time_commands,
    traffic_commands,
    watch,
)
from airtcp.shell.shell import Command

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        *time_commands.COMMANDS,
        *watch.COMMANDS,
        *network_commands.COMMANDS,
        *traffic_commands.COMMANDS,
        *change_commands.COMMANDS,
        *keep_commands.COMMANDS,
    )
}
