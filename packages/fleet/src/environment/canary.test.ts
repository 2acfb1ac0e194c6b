import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { makeWorld, type World } from '#/environment/world.test.ts'

const CANARY = 'canary-7f3a9c51'
const ENCODED = [
  CANARY,
  Buffer.from(CANARY).toString('base64').replace(/=+$/, ''),
  Buffer.from(CANARY).toString('hex'),
]

/** Everything that a person, a log or another user of the Node may get to see. */
class Witness {
  readonly #seen: string[] = []

  async watch(work: Promise<unknown>): Promise<void> {
    try {
      this.#seen.push(inspect(await work, { depth: null }))
    } catch (error) {
      // Stack, details and the whole chain of causes, hidden properties included.
      this.#seen.push(inspect(error, { depth: null, showHidden: true, maxStringLength: null }))
    }
  }

  async everything({ store, pool, calls, lines }: World): Promise<string> {
    const notes = calls.map(({ notes, logged }) => inspect({ notes, logged }, { depth: null }))
    const rows = await Promise.all(
      (['environment_values', 'environment_files', 'instances', 'activities', 'locks', 'facts'] as const).map(
        (table) => store.db.selectFrom(table).selectAll().execute(),
      ),
    )
    return [...this.#seen, ...notes, ...pool.commands, ...lines, JSON.stringify(rows)].join('\n')
  }
}

const assertHidden = (text: string): void => {
  for (const form of ENCODED) assert.ok(!text.includes(form), 'a value of the environment was shown')
}

test('a value shows in no answer, error, note, log, row or argument, whatever goes well or wrong [ENV-002, ENV-003]', async () => {
  await using world = await makeWorld({ framework: 'laravel' })
  const witness = new Witness()
  const files = [
    `A=${CANARY}\nB="x ${CANARY}"\nAPP_KEY=${CANARY}\n`,
    `A=${CANARY}\nA=${CANARY}\n`,
    `A="${CANARY}\\d"\n`,
    `A="${CANARY}\n`,
    `${CANARY}\n`,
    `A='${CANARY}'${CANARY}\n`,
    `A="$NOWHERE ${CANARY}"\n`,
    `A="{{${CANARY} secret}}"\n`,
    `A="line\n${CANARY}=\n"\nZED="\nINNER_${CANARY}=${CANARY}\n"\n`,
  ]
  for (const file of files) {
    world.putFile(file)
    for (const replace of [false, true]) await witness.watch(world.import(replace))
    await witness.watch(world.sync())
  }
  await witness.watch(world.update('C', CANARY))
  await witness.watch(
    world.update('C', `{{ ${CANARY} }}{{ not a name }}`.replace(`{{ ${CANARY} }}`, `${CANARY}{{`)),
  )
  await witness.watch(world.update('APP_URL', `https://${CANARY}.test`))
  await witness.watch(world.update(`${CANARY}=`, 'x'))
  await witness.watch(world.update('D', `${CANARY}\0`))
  assertHidden(await witness.everything(world))
  assert.ok(Object.values(await world.stored()).includes(CANARY))
})

test('a value shows nowhere when the Node fails in the middle [ENV-002]', async () => {
  await using world = await makeWorld()
  const witness = new Witness()
  await world.update('A', CANARY)
  for (const which of [1, 2]) {
    for (const kind of ['connection_lost', 'timeout', 'output_too_large'] as const) {
      world.putFile(`A="${CANARY} before"\n`)
      const at = (world.pool.commands.length ?? 0) + which
      world.pool.loseReplyOf(at, kind)
      await witness.watch(world.sync())
      world.pool.clearFaults()
    }
  }
  assertHidden(await witness.everything(world))
  await world.sync()
  assert.equal(world.fileText(), `A="${CANARY}"\n`)
})
