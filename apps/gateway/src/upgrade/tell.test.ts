import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { MigrationFailed } from '@fleet/store'
import { assemble } from '#/assemble.ts'
import type { InSession } from '#/console/session.ts'
import { readEnv } from '#/env.ts'
import { optionsOf } from '#/options.ts'
import { noteOutcome } from './activity.ts'
import { runUpgrade, type UpgradeSteps } from './run.ts'
import { BACK, FORWARD, type UpgradeState } from './state.ts'
import { begun } from './world.test.ts'

const LATER = '9999-later'

/**
 * The records of a gateway whose release v2 has one migration more than v1: v1 is this code, and v2 as well, on records
 * without the name of that migration.
 */
function gateway(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleet-upgrade-'))
  context.after(() => rmSync(home, { recursive: true }))
  const query = (text: string): unknown[] => {
    using database = new DatabaseSync(join(home, 'gateway.sqlite'))
    return database.prepare(text).all()
  }
  const migrated = (): void =>
    void query(`insert into kysely_migration (name, timestamp) values ('${LATER}', '2026-01-02')`)
  const unmigrated = (): void => void query(`delete from kysely_migration where name = '${LATER}'`)
  const inSession: InSession = async (work) => {
    const options = optionsOf(readEnv({ FLEET_HOME: home }), 'v1', undefined)
    const session = await assemble({ ...options, listen: [], log: 'silent' })
    try {
      return await work({ ...session, [Symbol.asyncDispose]: async () => undefined })
    } finally {
      session.closing.abort()
      await session.databases[Symbol.asyncDispose]()
      await session.ssh[Symbol.asyncDispose]()
      await session.store[Symbol.asyncDispose]()
    }
  }
  const asNew: InSession = async (work) => {
    unmigrated()
    try {
      return await inSession(work)
    } finally {
      migrated()
    }
  }
  return { query, migrated, unmigrated, inSession, asNew }
}

/** Runs an upgrade as its unit does, with the outcome told for real, and answers what the records then say of it. */
async function carry(context: TestContext, fails?: string): Promise<unknown[]> {
  const { query, migrated, unmigrated, inSession, asNew } = gateway(context)
  await inSession(async () => undefined)
  const acts: Readonly<Record<string, () => void>> = {
    start: migrated,
    records: unmigrated,
    [fails ?? '']: () => assert.fail('no answer'),
  }
  const act = async (name: string): Promise<object> => {
    acts[name]?.()
    return {}
  }
  const named = (names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, () => act(name)]))
  const saved: { state: UpgradeState | undefined; release: string } = { state: begun, release: begun.from }
  const stepsOf = (version: string): UpgradeSteps => ({
    forward: named(FORWARD) as UpgradeSteps['forward'], // Every name of the list.
    back: named(BACK) as UpgradeSteps['back'], // Every name of the list.
    version,
    handOver: (other) => void (saved.release = other),
    tell: (outcome) => noteOutcome(version === begun.to ? asNew : inSession, outcome),
    save: (next) => void (saved.state = next),
    noteFailure: () => assert.fail(),
    end: () => void (saved.state = undefined),
  })
  // A handing over takes a second run.
  for (let runs = 0; runs < 2 && saved.state; runs += 1) await runUpgrade(saved.state, stepsOf(saved.release))
  assert.equal(saved.state, undefined, 'it does not end')
  return query("select status from activities where command = 'gateway:upgrade'").map(
    (row) => Object(row).status,
  )
}

test('an upgrade whose release migrates the records ends, and its outcome is recorded', async (context) => {
  assert.deepEqual(await carry(context), ['succeeded'])
})

test('an upgrade that returns after it migrated the records ends, and its outcome is recorded', async (context) => {
  assert.deepEqual(await carry(context, 'smoke'), ['failed'])
})

test('the release from before cannot open records that the new one migrated', async (context) => {
  const { migrated, inSession } = gateway(context)
  await inSession(async () => undefined)
  migrated()
  await assert.rejects(
    inSession(async () => undefined),
    MigrationFailed,
  )
})
