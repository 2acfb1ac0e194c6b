import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Machine, ownHostKey, requireMachine } from './machine.ts'

const HOST_KEY = 'etc/ssh/ssh_host_ed25519_key.pub'
const RELEASE = { architecture: 'x86_64' }

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
  return { architecture: 'x86_64', root, isSshActive: async () => true }
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

test('the host key that the first Node is pinned to is the one on the disk', async (context) => {
  const { root } = machineWith(context, {
    [HOST_KEY]:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINEfV37YSBXUVyvNJf1+dad5xzl9WdmASqXJX3pyrs48 root@gateway\n',
  })
  assert.equal(await ownHostKey(join(root, HOST_KEY)), 'SHA256:kvETTshYNZYxx55xXK7MPwDR6ofixtbIE+Vbjnu5Xac')
  const other = join(root, 'etc/debian_version')
  await assert.rejects(ownHostKey(other), { name: 'Refusal', message: /is not a public key file/ })
})
