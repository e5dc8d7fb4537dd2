#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# setup.sh DIR: puts what the arm64 machine consists of into DIR.  Safe to run again, quick when complete.
#
#   DIR/vmlinuz    Debian's kernel for virtual machines: PMU driver and serial ports are built in
#   DIR/base.cpio  the guest's files: busybox, init, libraries
#   DIR/sysroot    headers and libraries to cross-compile against
#
# The packages come from this machine's own sources through a private apt, which leaves the system's
# alone and needs no rights.  Status 77: not possible here, and the last line of the output says why.
set -eu
export LC_ALL=C

[ $# -eq 1 ] || {
	echo "usage: setup.sh DIR" >&2
	exit 2
}
packages="busybox-static libc6 libgcc-s1 libgomp1 libhwloc15 libhwloc-dev libjansson4 libjansson-dev libpfm4-dev libudev1"
kernel=linux-image-cloud-arm64
self=$(cksum <"$0")

impossible() {
	echo "$*"
	exit 77
}

for tool in apt-get dpkg-deb cpio flock; do
	command -v "$tool" >/dev/null || impossible "no $tool"
done
mkdir -p "$1"
dir=$(cd "$1" && pwd)
exec 9>"$dir/lock"
flock 9
[ "$(cat "$dir/complete" 2>/dev/null)" != "$self" ] || exit 0
rm -rf "$dir/complete" "$dir/apt" "$dir/debs" "$dir/sysroot" "$dir/root" "$dir/vmlinuz" "$dir/base.cpio"

# --- packages ----------------------------------------------------------------------------------------

# Of the system's settings only those on how to fetch: hooks would act on the system.
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs"
: >"$dir/apt/status"
{
	apt-config dump | grep -E '^Acquire(::[A-Za-z0-9_.-]+)+ '
	cat <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Dir::State "$dir/apt";
Dir::State::status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
Dir::Etc::parts "/dev/null";
Dir::Etc::main "/dev/null";
CONF
} >"$dir/apt/apt.conf"
export APT_CONFIG="$dir/apt/apt.conf"

apt-get update -qq >"$dir/apt/log" 2>&1 ||
	impossible "apt-get update for arm64: $(tail -n 1 "$dir/apt/log")"
image=$(apt-cache show "$kernel" 2>"$dir/apt/log" |
	sed -n '/^Depends:/{s/.*\(linux-image-[0-9][^ ,]*\).*/\1/p;q;}')
[ -n "$image" ] || impossible "this machine's package sources have no $kernel"
# shellcheck disable=SC2086 # a list of words
(cd "$dir/debs" && apt-get download -qq "$image" $packages) >"$dir/apt/log" 2>&1 ||
	impossible "apt-get download for arm64: $(tail -n 1 "$dir/apt/log")"

dpkg-deb --fsys-tarfile "$dir/debs/${image}_"*.deb | tar -xO "./boot/vmlinuz-${image#linux-image-}" >"$dir/vmlinuz"
for p in $packages; do
	dpkg-deb -x "$dir/debs/${p}_"*.deb "$dir/sysroot"
done

# --- the guest's files ---------------------------------------------------------------------------------

root=$dir/root
mkdir -p "$root/bin" "$root/dev" "$root/etc" "$root/job" "$root/out" "$root/proc" "$root/root" "$root/sys" "$root/tmp"
cp "$dir/sysroot/bin/busybox" "$root/bin/busybox"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
(cd "$dir/sysroot" && find lib usr/lib ! -type d -name '*.so*' ! -path '*/gconv/*' -print | cpio -pd --quiet "$root")

# The console shows what the job prints; its status and what it left in /out go out by the PCI serial port.
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm && mount -t tmpfs tmpfs /dev/shm
hostname arm
stty -onlcr </dev/console
stty raw -echo </dev/ttyS0
(cd /job && exec sh /command) </dev/null
{ echo $?; tar -C /out -cf - .; } >/dev/ttyS0
echo 0 >/proc/sys/kernel/printk
poweroff -f
INIT
chmod 755 "$root/init"

# Not compressed: unpacking in an emulated machine takes longer than copying.  What the kernel does with it
# is to repeat: no times, owners and inode numbers of this machine.
(cd "$root" && find . -exec touch -h -d @0 {} + && find . | sort |
	cpio -o -H newc --quiet --reproducible -R 0:0) >"$dir/base.cpio"

rm -rf "$dir/root" "$dir/apt" "$dir/debs"
echo "$self" >"$dir/complete"
