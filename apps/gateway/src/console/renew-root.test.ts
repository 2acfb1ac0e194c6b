import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readRoot } from '@fleet/pki'
import { addGatewayNode, FakeClock } from '@fleet/testing'
import { HOME_FILES } from '#/backup/contents.ts'
import type { ConsoleDeps } from './deps.ts'
import { Misuse } from './misuse.ts'
import { renewRoot } from './renew-root.ts'
import { openConsole, RELEASE } from './world.test.ts'

/** The console at this time. */
const at = ({ deps }: Awaited<ReturnType<typeof openConsole>>, now: Date): ConsoleDeps => ({
  ...deps,
  inSession: (work) =>
    deps.inSession((session) => work({ ...session, clock: new FakeClock(now.toISOString()) })),
})
const daysBefore = (end: Date, days: number): Date => new Date(end.getTime() - days * 86_400_000)

test('the root is renewed in its last year, recorded as an Activity, and in the files of a backup', async () => {
  await using console = await openConsole()
  const gateway = await addGatewayNode(console.store)
  const { root, caDirectory, store } = console.session
  const now = daysBefore(root.notAfter, 365)
  assert.equal(await renewRoot([], RELEASE, at(console, now)), 0)
  const renewed = readRoot(caDirectory)
  assert.notEqual(renewed.sha256, root.sha256)
  assert.equal(renewed.keySha256, root.keySha256)
  const end = new Date(now.getTime() + 3652 * 86_400_000).toISOString().slice(0, 10)
  assert.deepEqual(console.lines, [
    `The root certificate of the fleet is valid until ${end}. Its key is the same, its SHA-256 fingerprint is\n${renewed.sha256}\n` +
      'Restart the gateway (systemctl restart fleet-gateway), give the certificate to each Node (fleet node:converge NODE --force),\n' +
      'have each client trust it (fleet gateway:trust --accept-change), and make a backup.\n',
  ])
  const rows = await console.activities()
  assert.deepEqual(
    rows.map((row) => [row.command, row.status, row.caller_node_id, row.properties]),
    [['gateway:renew-root', 'succeeded', gateway.id, { client: 'fleet-gateway', sha256: renewed.sha256 }]],
  )
  const fact = await store.db.selectFrom('facts').selectAll().where('name', '=', 'root_certificate').execute()
  assert.deepEqual(
    fact.map(({ value }) => value),
    [renewed.sha256],
  )
  const home = dirname(caDirectory)
  const saved = globSync([...HOME_FILES], { cwd: home }).filter((file) => file.endsWith('root.crt'))
  assert.deepEqual(
    saved.map((file) => readFileSync(join(home, file), 'utf8').trim()),
    [renewed.certificate.trim()],
  )
  assert.equal(console.held(), 0)
})

test('a root that is not in its last year is renewed with --force only', async () => {
  await using console = await openConsole()
  await addGatewayNode(console.store)
  const { root, caDirectory } = console.session
  const early = at(console, new Date(daysBefore(root.notAfter, 365).getTime() - 1000))
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  await assert.rejects(renewRoot([], RELEASE, early), {
    name: 'Refusal',
    message: `The root certificate is valid until ${day(root.notAfter)} and is renewed in its last year, from ${day(daysBefore(root.notAfter, 365))} on.`,
    next: 'fleet-gateway renew-root --force',
  })
  assert.deepEqual([readRoot(caDirectory).sha256, await console.activities()], [root.sha256, []])
  assert.equal(await renewRoot(['--force'], RELEASE, early), 0)
  assert.notEqual(readRoot(caDirectory).sha256, root.sha256)
})

test('a root that was made by a clock that was ahead is renewed once somebody has looked at the clock', async () => {
  await using console = await openConsole()
  await addGatewayNode(console.store)
  const { caDirectory } = console.session
  const { notBefore, sha256 } = readRoot(caDirectory)
  const right = at(console, new Date(notBefore.getTime() - 1000))
  await assert.rejects(renewRoot([], RELEASE, right), {
    name: 'Refusal',
    message: `The root certificate is not valid before ${notBefore.toISOString()}: the clock of this machine was ahead when it was made, or is behind now.`,
    next: 'Compare the clock with another one: date -u. If it is right: fleet-gateway renew-root --force',
  })
  assert.equal(readRoot(caDirectory).sha256, sha256)
  assert.equal(await renewRoot(['--force'], RELEASE, right), 0)
  assert.ok(readRoot(caDirectory).notBefore < notBefore)
})

test('a root that has ended is renewed as well, and other words do nothing', async () => {
  await using console = await openConsole()
  await addGatewayNode(console.store)
  const { root, caDirectory } = console.session
  const late = at(console, daysBefore(root.notAfter, -400))
  await assert.rejects(renewRoot(['now'], RELEASE, late), Misuse)
  assert.equal(readRoot(caDirectory).sha256, root.sha256)
  assert.equal(await renewRoot([], RELEASE, late), 0)
  assert.notEqual(readRoot(caDirectory).sha256, root.sha256)
})
