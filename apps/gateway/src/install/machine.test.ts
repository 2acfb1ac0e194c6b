import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Listener } from '@fleet/shell'
import { type Machine, ownHostKey, requireMachine } from './machine.ts'

const HOST_KEY = 'etc/ssh/ssh_host_ed25519_key.pub'
const RELEASE = { architecture: 'x86_64', hubPort: 51_820 }

/** A Debian machine on which a gateway can be installed, with the given files in the place of its own. */
function machineWith(
  context: TestContext,
  files: Readonly<Record<string, string | undefined>> = {},
): Machine {
  const root = mkdtempSync(join(tmpdir(), 'fleet-machine-'))
  context.after(() => rmSync(root, { recursive: true }))
  const whole = { 'etc/debian_version': '13.1\n', 'proc/1/comm': 'systemd\n', [HOST_KEY]: '' }
  for (const [path, text] of Object.entries({ ...whole, ...files })) {
    if (text === undefined) continue
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return { architecture: 'x86_64', root, isSshActive: async () => true, foreignListeners: async () => [] }
}

test('a Debian machine of the architecture of the release, with systemd and an SSH server, can become a gateway', async (context) => {
  await requireMachine(RELEASE, machineWith(context))
})

test('any other machine is refused with what it lacks', async (context) => {
  const refused = (machine: Machine, message: string, next?: string) =>
    assert.rejects(requireMachine(RELEASE, machine), { name: 'Refusal', message, next })
  await refused(
    { ...machineWith(context), architecture: 'aarch64' },
    'This release is for x86_64, and this machine is aarch64.',
  )
  await refused(
    machineWith(context, { 'etc/debian_version': undefined }),
    'A gateway can be installed on Debian only.',
  )
  await refused(
    machineWith(context, { 'proc/1/comm': 'init\n' }),
    'A gateway requires systemd as the init process.',
  )
  const noServer =
    'No SSH server is running here. The gateway manages its own machine over SSH, like every other machine.'
  const next = 'apt-get install openssh-server'
  await refused(machineWith(context, { [HOST_KEY]: undefined }), noServer, next)
  await refused({ ...machineWith(context), isSshActive: async () => false }, noServer, next)
})

const listening = (
  protocol: Listener['protocol'],
  address: string,
  port: number,
  name?: string,
): Pick<Machine, 'foreignListeners'> => ({
  foreignListeners: async () => [
    { protocol: 'tcp', address: '0.0.0.0', port: 80, program: { name: 'nginx', pid: 7 } },
    { protocol, address, port, program: name === undefined ? undefined : { name, pid: 8 } },
  ],
})

test('a port of the gateway that another program has refuses the machine before anything changes, with whose it is', async (context) => {
  const own = machineWith(context)
  for (const address of ['0.0.0.0', '*'])
    await assert.rejects(requireMachine(RELEASE, { ...own, ...listening('tcp', address, 443, 'nginx') }), {
      name: 'Refusal',
      message:
        'Port 443 of this machine is in use by nginx (process 8). The gateway needs it, and nothing was changed.',
      next: "ss -lntp 'sport = :443' shows the program. Stop it, or have it listen on single addresses, then run the same command again.",
    })
  await assert.rejects(requireMachine(RELEASE, { ...own, ...listening('udp', '::', 51_820) }), {
    name: 'Refusal',
    message:
      'UDP port 51820 of this machine is in use by the kernel, as by another WireGuard tunnel. The private network needs it, and nothing was changed.',
    next: "ss -lnup 'sport = :51820' shows the program. Stop it, or choose another port for the network: --port PORT",
  })
})

test('what listens on other ports or on other single addresses is no reason to refuse', async (context) => {
  const own = machineWith(context)
  for (const other of [
    listening('tcp', '192.0.2.1', 443, 'nginx'),
    listening('tcp', '::', 443, 'nginx'),
    listening('udp', '0.0.0.0', 443, 'nginx'),
    listening('udp', '0.0.0.0', 51_821),
  ])
    await requireMachine(RELEASE, { ...own, ...other })
  const recorded = { ...RELEASE, hubPort: undefined }
  await requireMachine(recorded, { ...own, ...listening('udp', '0.0.0.0', 51_820) })
})

test('the host key that the first Node is pinned to is the one on the disk', async (context) => {
  const { root } = machineWith(context, {
    [HOST_KEY]:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINEfV37YSBXUVyvNJf1+dad5xzl9WdmASqXJX3pyrs48 root@gateway\n',
  })
  assert.equal(await ownHostKey(join(root, HOST_KEY)), 'SHA256:kvETTshYNZYxx55xXK7MPwDR6ofixtbIE+Vbjnu5Xac')
  const other = join(root, 'etc/debian_version')
  await assert.rejects(ownHostKey(other), { name: 'Refusal', message: /is not a public key file/ })
})
