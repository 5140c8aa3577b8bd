# SPDX-License-Identifier: Apache-2.0
# bash completion of headrace-trace, -scan and -fingerprints: the program itself lists its options.
_headrace_trace() {
    local current=${COMP_WORDS[COMP_CWORD]} i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[0]##*/} == headrace-trace && ${COMP_WORDS[i]} == -- ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
            return
        fi
    done
    case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --words 2>/dev/null | cut -f1 | tr -d =) --help --version" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}
complete -o filenames -F _headrace_trace headrace-trace headrace-scan headrace-fingerprints
