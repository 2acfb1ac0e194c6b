import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { addProject, forEachDialect, openTestStore } from '@fleet/testing'
import { originsOfFinishedUpdates } from '#/migrations/0038-origins-of-finished-updates.ts'

forEachDialect(
  'an update that has finished keeps no origin of a checkout; one that goes on does',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const nothing = { branches: [], switched: [], production: {} }
    const found = { ...nothing, origins: { 1: 'https://user:canary@git.example.com/acme/shop.git' } }
    for (const [slug, finished_at] of [
      ['finished', '2026-07-28T10:00:00.000Z'],
      ['open', null],
    ] as const) {
      const { id } = await addProject(store, { slug })
      await store.db
        .insertInto('project_updates')
        .values({
          project_id: id,
          state: finished_at ? 'complete' : 'preflighted',
          requested: {},
          next_values: {},
          previous_values: {},
          found,
          step_events: {},
          failed_step: null,
          error_code: null,
          started_at: '2026-07-28T09:00:00.000Z',
          finished_at,
        })
        .execute()
    }
    await originsOfFinishedUpdates(store.db as unknown as Kysely<unknown>) // A migration knows no table by its type.
    const rows = await store.db.selectFrom('project_updates').select('found').orderBy('project_id').execute()
    assert.deepEqual(rows, [{ found: { ...nothing, origins: {} } }, { found }])
  },
)
