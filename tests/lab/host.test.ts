import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { run, script } from '@fleet/shell'
import { openLab, orphans, placeOf, remainsOf, removeLab } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { fileOn, onHosts, poolOf, targetOf, testLab } from './site.ts'

const options = { timeoutMilliseconds: 30_000 }

test('a host is a Debian machine of its own: process 1, name, disk, packages, way out', onHosts, async () => {
  const lab = await testLab()
  await using host = await lab.host({ name: 'whole', packages: ['git'] })
  assert.equal(await host.run(['cat', '/proc/1/comm']), 'systemd\n')
  assert.equal(await host.run(['systemctl', 'is-system-running']), 'running\n')
  assert.equal(await host.run(['hostname']), 'whole\n')
  assert.match(await host.run(['git', '--version']), /^git version /)
  assert.match(
    await host.run(['ip', 'route', 'show', 'default']),
    new RegExp(`via ${lab.addresses.machine} `),
  )
  assert.match(await host.run(['cat', '/etc/machine-id']), /^[0-9a-f]{32}\n$/)
  await assert.rejects(lab.host({ name: 'whole' }), { message: 'there is a host whole already' })
  await assert.rejects(lab.host({ name: 'other', arch: 'riscv64' }), /cannot boot a host of riscv64/)
})

test('hosts reach each other, and have keys and machine ids of their own', onHosts, async () => {
  const lab = await testLab()
  await using one = await lab.host({ name: 'one' })
  await using two = await lab.host({ name: 'two' })
  const banner = ['bash', '-c', `exec 3<>/dev/tcp/${two.address}/22 && head -c 8 <&3`] as const
  assert.equal(await one.run(banner), 'SSH-2.0-')
  assert.notEqual(await one.fingerprint(), await two.fingerprint())
  assert.notEqual(await fileOn(one, '/etc/machine-id'), await fileOn(two, '/etc/machine-id'))
  await two.cutOff()
  assert.notEqual((await one.attempt(['timeout', '2', ...banner])).status, 0)
})

test('a power cut loses what was not synchronized and keeps what was', onHosts, async () => {
  const lab = await testLab()
  await using host = await lab.host({ name: 'power' })
  await host.run(['sh', '-c', 'echo kept >/root/synced && sync /root/synced && echo lost >/root/unsynced'])
  const before = await fileOn(host, '/proc/sys/kernel/random/boot_id')
  assert.ok(before)
  await host.kill()
  assert.equal(host.isOn(), false)
  await assert.rejects(host.run(['true']), { message: 'power is off' })
  await host.revive()
  assert.equal(await fileOn(host, '/root/synced'), 'kept\n')
  assert.notEqual(await fileOn(host, '/root/unsynced'), 'lost\n')
  await assert.rejects(host.revive(), { message: 'power is not off' })
})

test(
  'a full disk refuses every write, for root too, until it is freed, and a power cut fills none again',
  onHosts,
  async () => {
    const lab = await testLab()
    await using host = await lab.host({ name: 'full' })
    const write = ['dd', 'if=/dev/zero', 'of=/root/big', 'bs=64k', 'count=1', 'conv=fsync'] as const
    await host.fillDisk()
    const { status, stderr } = await host.attempt(write)
    assert.equal(status, 1)
    assert.match(stderr, /No space left on device/)
    await host.run(['sync'])
    host.freeDisk()
    await host.kill()
    await host.revive()
    await host.run(write)
  },
)

test('a moved clock is what sessions, sudo and new services see, and only they', onHosts, async () => {
  const lab = await testLab()
  await using host = await lab.host({ name: 'clock' })
  await using pool = poolOf(lab)
  const target = await targetOf(host)
  const seen = async (line: string): Promise<number> => {
    const { stdout } = await pool.run(target, script(line), options)
    // Rounded to hours, so that no second between the two questions counts; the sum makes a zero of minus zero.
    return Math.round((Number(stdout.toString()) - Date.now() / 1000) / 3600) + 0
  }
  const ways = [
    'date +%s',
    'sudo date +%s',
    'sudo -u nobody date +%s',
    'systemd-run --quiet --wait --pipe date +%s',
  ]
  for (const days of [3, -400]) {
    await host.moveClock(days * 86_400)
    pool.forget(target.nodeId)
    for (const way of ways) assert.equal(await seen(way), days * 24, way)
  }
  await host.run(['systemctl', 'restart', 'systemd-journald', 'ssh'])
  await host.resetClock()
  pool.forget(target.nodeId)
  for (const way of ways) assert.equal(await seen(way), 0, way)
  assert.equal(await host.run(['systemctl', 'is-system-running']), 'running\n')
})

test('a paused host takes connections and says nothing; a resumed one continues', onHosts, async () => {
  const lab = await testLab()
  await using host = await lab.host({ name: 'still' })
  await using pool = poolOf(lab, { connectTimeoutMilliseconds: 1000 })
  const target = await targetOf(host)
  await host.pause()
  await assert.rejects(pool.run(target, run('true'), options), { kind: 'unreachable' })
  await host.resume()
  assert.equal((await pool.run(target, run('true'), options)).exitCode, 0)
})

/** Another checkout, as far as the lab can tell: a folder with a lab of its own that is removed at the end. */
async function withCheckout(work: (checkout: string) => Promise<void>): Promise<void> {
  const checkout = mkdtempSync(join(tmpdir(), 'fleet-checkout-'))
  try {
    await work(checkout)
  } finally {
    await removeLab(placeOf(checkout, 'lab'))
    rmdirSync(checkout)
  }
}

test('two checkouts have labs at the same time, and removing one leaves the other', onHosts, () =>
  withCheckout(async (checkout) => {
    const mine = await testLab()
    await using host = await mine.host({ name: 'same-name' })
    const other = await openLab({ checkout, purpose: 'lab' })
    const twin = await other.host({ name: 'same-name' })
    assert.notEqual(mine.addresses.octet, other.addresses.octet)
    assert.equal(await twin.run(['hostname']), await host.run(['hostname']))
    await removeLab(other.place)
    assert.deepEqual(await remainsOf(other.place), [])
    assert.equal(host.isOn(), true)
    await using pool = poolOf(mine)
    assert.equal((await pool.run(await targetOf(host), run('true'), options)).exitCode, 0)
  }),
)

const LAB = resolve(import.meta.dirname, '../../lab/index.ts')

/** What a killed program leaves: it makes hosts without end until it is ended. */
const endless = (checkout: string): string => `
  const { openLab } = await import(${JSON.stringify(LAB)})
  const lab = await openLab({ checkout: ${JSON.stringify(checkout)}, purpose: 'lab' })
  for (let number = 1; ; number += 1) { await lab.host({ name: 'host-' + number }); console.log(number) }`

test('a lab whose program was killed at any moment is removed completely', onHosts, () =>
  withCheckout(async (checkout) => {
    const place = placeOf(checkout, 'lab')
    for (const pause of [0, 60, 150, 270]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', endless(checkout)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      // Somewhere in the making of the next host.
      await waitFor(pause / 1000, () => Promise.resolve(undefined))
      child.kill('SIGKILL')
      await once(child, 'close')
      assert.notDeepEqual(await remainsOf(place), [])
      await removeLab(place)
      assert.deepEqual(await remainsOf(place), [], `after ${pause} ms`)
    }
  }),
)

test('a lab whose checkout was deleted is found without it', onHosts, async () => {
  const checkout = mkdtempSync(join(tmpdir(), 'fleet-checkout-'))
  const { place } = await openLab({ checkout, purpose: 'lab' })
  const own = () => orphans().filter(({ prefix }) => prefix === place.prefix)
  assert.deepEqual(own(), [])
  rmdirSync(checkout)
  assert.equal(own().length, 1)
  for (const orphan of own()) await removeLab(orphan)
  assert.deepEqual([own(), await remainsOf(place)], [[], []])
})
