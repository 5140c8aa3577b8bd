# SPDX-License-Identifier: Apache-2.0
# bash completion: the program itself lists its commands and options.
_headrace() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(headrace help --words 2>/dev/null | cut -f1) --help --version" -- "$current")
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ $command == @(run|trace) && ${COMP_WORDS[i]} == -- ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
            return
        fi
    done
    if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-a|--algorithm) && $command == @(digest|mac|encrypt|decrypt) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(headrace "$command" -l 2>/dev/null | cut -d' ' -f1)" -- "$current")
        return
    fi
    if [[ $command == @(accel|token) ]] && ((COMP_CWORD == 2)); then
        mapfile -t COMPREPLY < <(compgen -W "$(headrace "$command" --words 2>/dev/null | cut -f1) --help" -- "$current")
        return
    fi
    case $command:$current in
    accel:-* | token:-*) mapfile -t COMPREPLY < <(compgen -W "$(headrace "$command" "${COMP_WORDS[2]}" --words 2>/dev/null | cut -f1 | tr -d =) --help" -- "$current") ;;
    *:-*) mapfile -t COMPREPLY < <(compgen -W "$(headrace help --words "$command" 2>/dev/null | cut -f1 | tr -d =) --help" -- "$current") ;;
    help:*) mapfile -t COMPREPLY < <(compgen -W "$(headrace help --words 2>/dev/null | cut -f1)" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
}
complete -o filenames -F _headrace headrace
