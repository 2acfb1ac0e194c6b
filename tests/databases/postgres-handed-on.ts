import assert from 'node:assert/strict'
import { openDatabases } from '@fleet/database-access'
import { systemIds } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { corpusOf } from './corpus.ts'
import type { PostgresWorld } from './postgres-world.ts'
import { keeping, partOf } from './run-corpus.ts'

/** Everything that a statement could leave in its session. */
const SESSION = `select json_build_array(
    (select json_object_agg(name, setting order by name) from pg_settings), current_setting('my.own', true),
    current_user, session_user, current_schemas(true)::text, pg_my_temp_schema(), txid_current_if_assigned(),
    (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
    (select json_agg(l.*) from pg_listening_channels() l), (select json_agg(name) from pg_prepared_statements where name not like 'fleet %'),
    (select count(*) from pg_cursors))::text as state`

/** Most reads of a part hand their connection on, and whoever gets it finds what a new one has. */
export async function provesHandedOn({ target, version }: PostgresWorld, part: number): Promise<void> {
  // No statement is slow, however busy the machine is.
  await using databases = openDatabases({ clock: new FakeClock(), ids: systemIds })
  let opened = 0
  const open: typeof target.open = (signal) => {
    opened += 1
    return target.open(signal)
  }
  const kept = keeping({ ...target, open })
  /** A write, which closes its connection; the next one is opened at once. */
  const session = async (): Promise<unknown> =>
    (await databases.query(kept, { sql: SESSION, write: true })).rows[0]?.['state']
  const fresh = await session()
  const reads = partOf(corpusOf('postgres', 'reads', version), part).filter(({ isUnknown }) => !isUnknown)
  const wrong: string[] = []
  for (const { statement } of reads) {
    await databases.query(kept, { sql: statement, write: false })
    if ((await session()) !== fresh) wrong.push(statement)
  }
  assert.deepEqual(wrong, [])
  const handedOn = 2 * reads.length + 2 - opened
  assert.ok(handedOn > reads.length / 2, `${handedOn} of ${reads.length}`)
}
