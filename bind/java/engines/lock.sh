#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lock.sh ENGINE COORDINATES...: writes ENGINE.lock, with all artifacts that these take at run time and what their bytes
# are now. Nothing else looks artifacts up; who changes a version looks at the change of the file. Needs mvn and a network.
set -eu
engine=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>org.headrace</groupId><artifactId>lock</artifactId>'
    echo '<version>1</version><packaging>pom</packaging><dependencies>'
    printf '%s\n' "$@" | while IFS=: read -r group artifact version; do
        echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
    done
    echo '</dependencies></project>'
} >"$work/pom.xml"
mvn -B -q -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:list \
    -DincludeScope=runtime -DoutputAbsoluteArtifactFilename=true -DoutputFile="$work/list"
# GROUP:ARTIFACT:jar[:CLASSIFIER]:VERSION:SCOPE:FILE, perhaps with the name of a module behind
sed -n 's/^ *\([^ :]*:[^ :]*:jar:[^ ]*\).*/\1/p' "$work/list" | LC_ALL=C sort >"$work/sorted"
{
    echo "# SPDX-License-Identifier: Apache-2.0"
    echo "# bind/java/engines/lock.sh $engine $*"
    while IFS=: read -r group artifact _ a b c d; do
        if [ -n "$d" ]; then set -- "$group:$artifact:$b:$a" "$d"; else set -- "$group:$artifact:$a" "$c"; fi
        echo "$engine $1 $(sha256sum "$2" | cut -d' ' -f1)"
    done <"$work/sorted"
} >"$(dirname "$0")/$engine.lock"
