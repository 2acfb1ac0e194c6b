import assert from 'node:assert/strict'
import { Secret } from '@fleet/kernel'
import { outcome } from './corpus.ts'
import { PASSWORD, type ServerWorld } from './server-world.ts'

const SETUP = [
  `create user seer@'%' identified by '${PASSWORD}'`,
  'create view seen_lock as select * from v_lock',
  'create view seen_rows as select t.id from t join u on t.id = u.id where extract(year from t.created) = 2024 order by t.id, u.id',
  'grant select, show view on seen_lock to seer@`%`',
  'grant select, show view on seen_rows to seer@`%`',
  'grant select (id) on t to seer@`%`',
]

/** A view shows a login what it may not see itself, which may be another view that acts. */
export async function provesHiddenRelations({ admin, databases, target }: ServerWorld): Promise<void> {
  const seer = { ...target, username: 'seer', password: new Secret(PASSWORD) }
  const reads = (sql: string): Promise<string> => outcome(() => databases.query(seer, { sql, write: false }))
  for (const statement of SETUP) await admin.query(statement)
  const refused = 'database.write_required refused'
  assert.deepEqual(
    [await reads('select * from seen_lock'), await reads('select * from seen_rows')],
    [refused, refused],
  )
  await admin.query('grant references on u to seer@`%`')
  await admin.query('grant show view, select on v_lock to seer@`%`')
  assert.deepEqual(
    [await reads('select * from seen_lock'), await reads('select * from seen_rows')],
    [refused, 'answered'],
  )
  await admin.query('drop user seer@`%`')
  await admin.query('drop view seen_lock, seen_rows')
}
