# SPDX-License-Identifier: Apache-2.0
# fish completion of headrace-trace, -scan and -fingerprints: the program itself lists its options.
for command in headrace-trace headrace-scan headrace-fingerprints
    complete -c $command -n 'string match -q -- "-*" (commandline -ct)' -a "($command --words 2>/dev/null | string replace -r '=?\t' '\t')"
end
complete -c headrace-trace -n 'contains -- -- (commandline -opc)' -a '(__fish_complete_command)'
