# SPDX-License-Identifier: Apache-2.0
# Finds statements of C that print a text without the quoting of cli/quote.h: printf and its kin with a %s, a %c or a
# format that is no literal; puts and its kin with anything but a literal; and functions that print names themselves.
# A statement may have several lines. Formats of JSON need QUOTE_JSON.

BEGIN {
    call = "(^|[^A-Za-z0-9_>.])"
    stream = "[A-Za-z_>.-]+, *"
    text = "%[-+ 0#*.0-9]*l?[scSC]"
    num = 0
    passes[++num] = "v(f|d)?printf(_unlocked)?\\("
    passes[++num] = "printf\\(.*" text
    passes[++num] = "printf\\( *[^\" )]"
    passes[++num] = "[fd]printf\\(.*" text
    passes[++num] = "[fd]printf\\(" stream "[^\" ]"
    passes[++num] = "(puts|fputs|fputs_unlocked|puts_unlocked)\\( *[^\" )]"
    passes[++num] = "(putchar|putc|fputc|putwchar|fputwc|putw)(_unlocked)?\\( *[^' )]"
    passes[++num] = "fwrite(_unlocked)?\\("
    passes[++num] = "write\\( *([12],|STD(OUT|ERR)_FILENO)"
    passes[++num] = "(perror|psignal|psiginfo|v?warnx?|v?errx?|error|error_at_line|v?syslog|sd_journal_[a-z]+)\\("
    passes[++num] = "ERR_print_errors(_fp|_cb)?\\("
    passes[++num] = "json_dump(f|s|fd)\\("
}

function judge(    i) {
    if (said ~ /json_dump(f|s|fd)\(.*QUOTE_JSON/)
        return
    for (i = 1; i <= num; i++)
        if (said ~ call passes[i]) {
            print file ":" start ":" said
            return
        }
}

FNR == 1 { said = "" }
{
    line = $0
    sub(/^[ \t]+/, "", line)
    sub(/ *\/\*.*\*\/$/, "", line)
    if (line == "" || line ~ /^(\/\*|\* |\*$|\*\/|\/\/)/) # a comment
        next
    if (said == "") {
        file = FILENAME
        start = FNR
    }
    said = said " " line
}
line ~ /[;{}:]$|\*\/$|^#/ {
    judge()
    said = ""
}
