# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by common.sh: fetches artifacts of Maven into build/sources/maven. The user's ~/.m2/settings.xml says from which
# registry, and bind/java/artifacts.lock which bytes they must be,
# or for the artifacts of an engine bind/java/engines/ENGINE.lock.

maven_folder=build/sources/maven
maven_plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1

# maven_rows PURPOSE prints "COORDINATES SHA256" of its artifacts.
maven_rows() { awk -v purpose="$1" '!/^#/ && index("," $1 ",", "," purpose ",") { print $2, $3 }' bind/java/artifacts.lock bind/java/engines/*.lock; }

# maven_sums PURPOSE prints what sha256sum --check reads. Maven calls an artifact ARTIFACT-VERSION[-CLASSIFIER].jar.
maven_sums() { maven_rows "$1" | sed -E 's/^[^:]*:([^: ]*):([^: ]*)(:([^ ]*))? (.*)/\5  \1-\2-\4.jar/; s/-\.jar$/.jar/'; }

# maven_has PURPOSE [FOLDER]: are all its artifacts there, and unchanged?
maven_has() { maven_sums "$1" | (cd "${2:-$maven_folder}" && sha256sum --check --quiet) 2>&1; }

# maven_project PURPOSE prints a project that depends on these artifacts, and not on what they depend on.
maven_project() {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>org.headrace</groupId><artifactId>fetch</artifactId>'
    echo '<version>1</version><packaging>pom</packaging><dependencies>'
    maven_rows "$1" | cut -d' ' -f1 | while IFS=: read -r group artifact version classifier; do
        echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
        echo "${classifier:+<classifier>$classifier</classifier>}"
        echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>'
    done
    echo '</dependencies></project>'
}

# fetch_maven PURPOSE FOLDER
fetch_maven() {
    maven_project "$1" >"$2/pom.xml"
    mvn -B -q -f "$2/pom.xml" "$maven_plugin:copy-dependencies" -DoutputDirectory="$2/jars" && maven_has "$1" "$2/jars"
}

# get_maven PURPOSE: its artifacts come to lie in build/sources/maven. It says why, and fails, where they cannot be had.
get_maven() {
    ! maven_has "$1" >/dev/null || return 0
    command -v mvn >/dev/null || {
        echo "./x: no mvn, which fetches Java's artifacts" >&2
        return 1
    }
    mkdir -p "$maven_folder"
    echo "./x: fetching Java's artifacts"
    fetched=$(mktemp -d "$PWD/build/sources/fetch.XXXXXX")
    fetch_maven "$1" "$fetched" >build/sources/log 2>&1 </dev/null || {
        rm -rf "$fetched"
        tail -n 20 build/sources/log >&2
        return 1
    }
    touch "$fetched"/jars/*.jar # what depends on them is made again
    mv -f "$fetched"/jars/*.jar "$maven_folder"
    rm -rf "$fetched"
}
