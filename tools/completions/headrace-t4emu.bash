# SPDX-License-Identifier: Apache-2.0
# bash completion of headrace-t4emu: the program itself lists its options.
_headrace_t4emu() {
    local current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --words 2>/dev/null | cut -f1 | tr -d =) --help --version" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}
complete -o filenames -F _headrace_t4emu headrace-t4emu
