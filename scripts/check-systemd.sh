# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# check-systemd.sh: boots systemd in namespaces of its own, with an overlay over this root and nothing of /sys or /proc/sys
# writable but control groups, and lets it start the installed headraced for its first client.  Needs root.  Exits with 77,
# and a reason, where no systemd can be booted.
set -eu

skip() {
    echo "$*" >&2
    exit 77
}

# What a unit of the booted systemd runs; its output and its status go to /run/trial.
trial() {
    set -x
    systemctl start headraced.socket
    [ "$(systemctl is-active headraced.service)" = inactive ]
    headrace accel status # which starts it
    [ "$(systemctl is-active headraced.service)" = active ]
    pid=$(systemctl show headraced.service -p MainPID --value)
    [ "$(stat -c %U "/proc/$pid")" = headrace ]
    [ "$(systemctl show headraced.service -p StatusText --value)" = Serving ]
    systemctl reload headraced.service
    kill -KILL "$pid"
    headrace accel status # the socket waits until it is back
    [ "$(systemctl show headraced.service -p MainPID --value)" != "$pid" ]
    systemctl stop headraced.socket headraced.service
    [ ! -e /run/headrace/accel.sock ]
}

# boot FOLDER: becomes the init process of the new namespaces.  FOLDER gets what the trial leaves.
boot() {
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/upper /mnt/work /mnt/root
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
    cd /mnt/root
    mount -t proc proc proc
    mount --bind proc/sys proc/sys
    mount -o remount,bind,ro proc/sys
    mount --rbind /sys sys
    mount -o remount,bind,ro sys
    mount --rbind /dev dev
    mount -t tmpfs tmpfs tmp
    mount -t tmpfs tmpfs run
    mkdir -p run/systemd/system run/trial
    mount --bind "$1" run/trial
    echo 0123456789abcdef0123456789abcdef >etc/machine-id
    printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=sh /run/trial/script outcome\n' >run/systemd/system/trial.service
    container=check exec chroot . /lib/systemd/systemd --system --unit=trial.service --log-target=null --show-status=no
}

# Control groups of its own, whose folders can be removed afterwards.
own_groups() {
    for group in /sys/fs/cgroup /sys/fs/cgroup/*; do
        if [ -f "$group/cgroup.procs" ] && mkdir "$group/headrace-check"; then
            echo $$ | tee "$group/headrace-check/cgroup.procs" || :
        fi
    done
}
remove_groups() {
    for group in /sys/fs/cgroup/headrace-check /sys/fs/cgroup/*/headrace-check; do
        [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} +
    done
}

case ${1:-} in
trial) trial ;;
outcome)
    : >/run/trial/booted
    sh -e "$0" trial >/run/trial/log 2>&1 && : >/run/trial/passed
    systemctl exit 0
    ;;
enter)
    own_groups
    exec unshare -m --propagation private -p -f -i -u sh "$0" boot "$2"
    ;;
boot) boot "$2" ;;
*)
    [ -x /lib/systemd/systemd ] || skip 'systemd is not installed'
    folder=$(mktemp -d)
    trap 'remove_groups; rm -r "$folder"' EXIT
    cp "$0" "$folder/script"
    timeout 60 sh "$0" enter "$folder" >"$folder/boot.log" 2>&1 || :
    cat "$folder"/*log
    [ -e "$folder/booted" ] || skip 'no systemd can be booted here'
    [ -e "$folder/passed" ]
    ;;
esac
