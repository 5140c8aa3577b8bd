# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by what needs a JDK.

# jdks prints "VERSION FOLDER" of each JDK here, from 17 on, the oldest first.
jdks() {
    for javac in /usr/lib/jvm/*/bin/javac "${JAVA_HOME:-/nonexistent}/bin/javac"; do
        [ -x "$javac" ] || continue
        folder=$(realpath "${javac%/bin/javac}")
        echo "$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$folder/release") $folder"
    done | awk '$1 >= 17' | sort -nu
}
