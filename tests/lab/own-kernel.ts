import assert from 'node:assert/strict'
import type { Host } from '../../lab/index.ts'

/** The package that a host must have. */
export const OWN_KERNEL_PACKAGE = 'user-mode-linux'

const BOOT_SECONDS = 240

/**
 * Starts what is on the disk of a host a second time, on a kernel that is a program (user-mode Linux), so that process 1
 * and its timers have a clock of their own, and runs a script of root's there. Nothing that it writes reaches the host.
 */
const TWIN = String.raw`
twin=/srv/twin
mkdir -p $twin/upper $twin/work $twin/root
mount -t overlay overlay -o lowerdir=/,upperdir=$twin/upper,workdir=$twin/work $twin/root
trap 'umount $twin/root; rm -rf $twin' EXIT
cp -a /home/. $twin/root/home
# Timers of other programs would all fire when the clock moves.
find $twin/root/etc/systemd/system/timers.target.wants ! -name 'fleet-*' -type l -delete
cat >$twin/root/twin.sh
cat >$twin/root/etc/systemd/system/twin.service <<'EOF'
[Unit]
After=timers.target
[Service]
Type=oneshot
StandardOutput=append:/twin.out
ExecStart=/bin/bash -eu /twin.sh
ExecStopPost=/bin/sh -c 'exec systemctl poweroff --force --force >/dev/null 2>&1'
EOF
linux.uml mem=512M root=/dev/root rootfstype=hostfs rootflags=$twin/root rw con=null con0=null,fd:1 \
  init=/usr/lib/systemd/systemd systemd.unit=timers.target systemd.wants=twin.service systemd.show_status=0 \
  </dev/null >$twin/console 2>&1 || { tail -c 2000 $twin/console >&2; exit 1; }
[ -e $twin/root/twin.out ] || { tail -c 2000 $twin/console >&2; exit 1; }
grep -v '^Powering off[.]$' $twin/root/twin.out`

/** What the script printed. Fails with the console where the kernel did not come to it. */
export async function onOwnKernel(host: Host, script: string): Promise<string> {
  const words = ['bash', '-euc', TWIN] as const
  const { status, stdout, stderr } = await host.attempt(words, {
    input: script,
    timeoutSeconds: BOOT_SECONDS,
  })
  assert.equal(status, 0, stderr)
  return stdout
}
