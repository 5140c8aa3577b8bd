#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# java.sh [--this-cpu | --system FOLDER | --with LIBRARY FOLDER [whole]]: Headrace's provider for Java, in build/java: the jar, its
# sources and its javadoc. The jar has the library for this CPU and, where its cross compiler is installed, for aarch64;
# with --this-cpu not that. With --system only the jar is made, in FOLDER, without the library, which the system has
# (packages). With --with the jar, or with the word "whole" all, is made in FOLDER, with a library for this CPU that is built
# already (tests).
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/jdk.sh

out=build/java system='' library='' whole=whole cpus=$(uname -m)
case ${1:-} in
--with) library=$2 out=$3 whole=${4:-} ;;
--system) system=$2 out=build/java-system cpus='' ;;
--this-cpu) ;;
*) [ "$cpus" = aarch64 ] || ! command -v aarch64-linux-gnu-gcc >/dev/null || cpus="$cpus aarch64" ;;
esac
sources=bind/java/src/main
version=$(sed -n "s/^project('headrace'.* version: '\([0-9.]*\)'.*/\1/p" meson.build)
# One date for all entries, so that the same sources make the same bytes.
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$PWD" log -1 --format=%ct)}" +%Y-%m-%dT%H:%M:%SZ)

jdk=$(jdks | tail -n 1)
[ -n "$jdk" ] || { need jvm && jdk=$(jdks | tail -n 1); }
[ -n "$jdk" ] || die "there is no JDK 17 or later"
jdk_version=${jdk%% *} bin=${jdk#* }/bin

target=bind/java/native/libheadrace-jce.so
# build_library CPU FOLDER [OPTION...]: builds the library in a build folder.
build_library() {
    cpu=$1 folder=$2
    shift 2
    setup "$folder" -Djava=enabled "$@"
    ninja -C "$folder" "$target" >build/java.log || {
        tail -n 20 build/java.log >&2
        die "the library for $cpu failed to build"
    }
}

rm -rf "$out" && mkdir -p "$out/classes" "$out/javadoc"
find $sources/java $sources/pk -name '*.java' | LC_ALL=C sort >"$out/sources.list"
"$bin/javac" -encoding UTF-8 -XDstringConcat=inline --release 17 -Xlint:all -Werror -d "$out/classes" "@$out/sources.list"
cp -r $sources/resources/. "$out/classes"
# Each folder javaN has the classes for Java N and later, beside those of the folders before it.
path=$out/classes folders="java pk"
for folder in "$sources"/java[0-9]*; do
    java=${folder##*/java} folders="$folders java$java"
    if [ "$jdk_version" -ge "$java" ]; then
        find "$folder" -name '*.java' | LC_ALL=C sort >"$out/sources-$java.list"
        "$bin/javac" -encoding UTF-8 -XDstringConcat=inline --release "$java" -Xlint:all -Werror -cp "$path" -d "$out/classes/META-INF/versions/$java" "@$out/sources-$java.list"
        path=$out/classes/META-INF/versions/$java:$path
    else
        echo "./x java: JDK $jdk_version: without the classes for Java $java and later" >&2
    fi
done
for cpu in $cpus; do
    if [ -n "$library" ]; then
        built=$library strip=strip
    elif [ "$cpu" = "$(uname -m)" ]; then
        need build
        built=build/$target strip=strip
        build_library "$cpu" build
    else
        folder=build/java-$cpu strip=$cpu-linux-gnu-strip
        # Nothing is executed on that CPU, so no emulator need be here.
        { sed '/^exe_wrapper/d' "cross/$cpu-linux.ini" && printf '[properties]\nneeds_exe_wrapper = true\n'; } >"build/java-$cpu.ini"
        built=$folder/$target
        build_library "$cpu" "$folder" --cross-file "build/java-$cpu.ini" -Dpkcs11=disabled
    fi
    native=$out/classes/org/headrace/jce/native/linux-$cpu
    mkdir -p "$native"
    # The number of the build would tell in which folder it was built: it is computed from what is stripped, too.
    "$strip" --strip-debug --remove-section=.note.gnu.build-id -o "$native/libheadrace-jce.so" "$built"
    sha256sum "$native/libheadrace-jce.so" | cut -d' ' -f1 >"$native/libheadrace-jce.so.sha256"
done
cat >"$out/manifest" <<END
Multi-Release: true
Implementation-Title: Headrace
Implementation-Version: $version
Enable-Native-Access: ALL-UNNAMED
Bundle-ManifestVersion: 2
Bundle-Name: Headrace's provider for Java
Bundle-SymbolicName: org.headrace.jce
Bundle-Version: $version
Export-Package: org.headrace.jce;version="$version"
Import-Package: javax.crypto,javax.crypto.interfaces,javax.crypto.spec,javax.security.auth
Require-Capability: osgi.ee;filter:="(&(osgi.ee=JavaSE)(version=17))"
END
jar=headrace-jce-$version.jar
"$bin/jar" --create --file "$out/$jar" --date "$date" --manifest "$out/manifest" -C "$out/classes" .
if [ -n "$system" ]; then
    install -D -m 644 -t "$system" "$out/$jar"
    ln -sf "$jar" "$system/headrace-jce.jar"
    exit
fi
[ -n "$whole" ] || exit 0
set -- # the options of jar that follow
for folder in $folders; do set -- "$@" -C $sources "$folder"; done
"$bin/jar" --create --file "$out/headrace-jce-$version-sources.jar" --date "$date" "$@"
"$bin/javadoc" -J-Duser.language=en -J-Duser.country=US -quiet -encoding UTF-8 -charset UTF-8 -docencoding UTF-8 -Xdoclint:all,-missing -notimestamp -d "$out/javadoc" --release 17 "@$out/sources.list"
"$bin/jar" --create --file "$out/headrace-jce-$version-javadoc.jar" --date "$date" -C "$out/javadoc" .
echo "$out/$jar"
