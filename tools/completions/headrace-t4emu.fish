# SPDX-License-Identifier: Apache-2.0
# fish completion of headrace-t4emu: the program itself lists its options.
complete -c headrace-t4emu -n 'string match -q -- "-*" (commandline -ct)' -a "(headrace-t4emu --words 2>/dev/null | string replace -r '=?\t' '\t')"
