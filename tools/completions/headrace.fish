# SPDX-License-Identifier: Apache-2.0
# fish completion: the program itself lists its commands and options.
function __headrace_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end
function __headrace_options
    set -l command (__headrace_command)
    contains -- "$command" accel token; and set -l command $command (commandline -opc)[3]
    contains -- "$command[1]" accel token; and headrace $command --words 2>/dev/null | string replace -r '=?\t' '\t'; and return
    test -n "$command"; and headrace help --words $command 2>/dev/null | string replace -r '=?\t' '\t'
end
complete -c headrace -n 'test -z (__headrace_command)' -f -a '(headrace help --words 2>/dev/null)'
complete -c headrace -n 'test "$(__headrace_command)" = help' -f -a '(headrace help --words 2>/dev/null)'
complete -c headrace -n 'contains -- "$(__headrace_command)" accel token; and test (count (commandline -opc)) = 2' -f -a '(headrace (__headrace_command) --words 2>/dev/null)'
complete -c headrace -n 'string match -q -- "-*" (commandline -ct)' -a '(__headrace_options)'
complete -c headrace -n 'contains -- "$(__headrace_command)" run trace; and contains -- -- (commandline -opc)' -a '(__fish_complete_command)'
complete -c headrace -n 'contains -- "$(__headrace_command)" digest mac encrypt decrypt; and contains -- (commandline -opc)[-1] -a --algorithm' -f -a '(headrace (__headrace_command) -l 2>/dev/null | string replace -r "  *" \t)'
