import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activityList } from './activities/list.ts'
import { clusterCreate } from './clusters/create.ts'
import { clusterUpdate } from './clusters/update.ts'
import { databaseCreate } from './databases/create.ts'
import { databaseQuery } from './databases/query.ts'
import { dependencyWhere } from './dependencies/where.ts'
import { nodeAdd } from './nodes/add.ts'
import { projectCreate } from './projects/create.ts'
import { projectUpdate } from './projects/update.ts'
import { stepMembersFor } from './projects/step-members.ts'
import * as z from 'zod'

const limits = {
  commandMaxBytes: 16_384,
  timeoutMaxSeconds: 9,
  timeoutDefaultSeconds: 1,
  listMax: 9,
  listTotalSeconds: 9,
}

const FIELDS: ReadonlyArray<readonly [z.ZodObject, string]> = [
  [clusterCreate.input, 'name'],
  [projectCreate.input, 'name'],
  [projectCreate.input, 'task_check'],
  [projectUpdate.input, 'task_check'],
  [projectUpdate.input, 'merge_check'],
  [z.object(stepMembersFor(limits)), 'command'],
  [databaseQuery.input, 'sql'],
  [databaseCreate.input, 'username'],
  [databaseCreate.input, 'database'],
  [dependencyWhere.input, 'package'],
  [activityList.input, 'command'],
  [nodeAdd.input, 'user'],
  [nodeAdd.input, 'architecture'],
]

test('a text of blanks alone is refused where one of nothing is, and one with blanks in it is taken', () => {
  for (const [{ shape }, name] of FIELDS) {
    const field = shape[name] as z.ZodType // A member of an object.
    const takes = (text: string): boolean => field.safeParse(text).success
    for (const text of ['', ' ', '\t\n', '\u00A0', '\u3000'])
      assert.equal(takes(text), false, `${name} ${JSON.stringify(text)}`)
    assert.ok(takes('a b'), name)
  }
})

test('a name for people does not begin or end with a space, whoever sets it', () => {
  for (const field of [clusterCreate, clusterUpdate, projectCreate].map(({ input }) => input.shape.name)) {
    for (const text of [' a', 'a ', 'a\n', '\ta', '\u00A0a', 'a\u3000']) {
      const [issue] = field.safeParse(text).error?.issues ?? []
      assert.equal(
        issue?.message,
        'must not be blank, and must not begin or end with a space',
        JSON.stringify(text),
      )
    }
    for (const text of ['a', 'a b', 'a\nb']) assert.ok(field.safeParse(text).success, text)
  }
})
