import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, Secret } from '@fleet/kernel'
import { inputOf, programOf, START } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { fakeCall, fakeLock, nodeRecord } from '@fleet/testing'
import { lockOf } from '#/locks/api.ts'
import { confirmed, makeSession, type NodeScript, type NodeSession } from '#/nodes/api.ts'

interface ScriptWorld {
  readonly session: NodeSession
  /** Line and input of every command, and the seconds that forward work had left. */
  readonly sent: Array<{ readonly line: string; readonly input: string; readonly left: number }>
  answer: string | CommandResult
}

function asked(login = 'fleet'): ScriptWorld {
  const world: ScriptWorld = {
    sent: [],
    answer: 'done 3\nyes\n',
    session: makeSession({
      call: fakeCall(),
      node: nodeRecord(),
      login,
      send: async (call, command, options) => {
        const left = call.deadline.forwardMilliseconds() / 1000
        world.sent.push({ line: command.line, input: inputOf(command).join(''), left, ...options })
        const { answer } = world
        const text = { exitCode: 0, signal: null, stderr: Buffer.alloc(0) }
        return typeof answer === 'string' ? { ...text, stdout: Buffer.from(answer) } : answer
      },
    }),
  }
  return world
}

const SCRIPT: NodeScript<{ readonly path: string; readonly secret: string }, void> = {
  source: programOf('# do it\ndo_it', START),
  args: ({ path }) => [path],
  stdin: ({ secret }) => new Secret(secret),
  timeoutSeconds: 7,
  reasons: { busy: 'node.provisioning_busy', full: ['node.command_failed', 'The disk of the Node is full.'] },
  broken: 'node.output_too_large',
  read: confirmed('done'),
}
const INPUT = { path: "/it's", secret: 'canary' }
const node = { id: 7, name: 'web-1' }

test('a script goes to its Node as root, and only its title stands in the arguments', async () => {
  const { session, sent } = asked()
  await session.ask(SCRIPT, INPUT, { cleanup: true })
  const [first] = sent
  assert.ok(first)
  const { line, input, ...options } = first
  assert.match(line, /^sudo -n -u root -- sh -c 'eval [^']+' 'do it' \d+$/)
  assert.match(input, /^\{\nset -- '\/it'\\''s'\n# do it\n[^]*do_it\n\}canary$/)
  assert.deepEqual({ ...options, left: 0 }, { left: 0, timeoutSeconds: 7, cleanup: true })
})

test('nobody needs sudo to act as who logged in', async () => {
  const lines = async (login: string, as: 'root' | 'login', user?: string): Promise<string> => {
    const { session, sent } = asked(login)
    await (user === undefined ? session : session.as(user)).ask({ ...SCRIPT, as }, INPUT)
    return sent[0]?.line.replace(/sh -c.*/, '') ?? ''
  }
  assert.equal(await lines('root', 'root'), '')
  assert.equal(await lines('fleet', 'login'), '')
  assert.equal(await lines('fleet', 'login', 'fleet'), '')
  assert.equal(await lines('fleet', 'login', 'shop'), 'sudo -n -u shop -- ')
  assert.equal(await lines('fleet', 'root', 'shop'), 'sudo -n -u root -- ')
})

test('a refusal is the code of its reason, with that reason and the Node', async () => {
  const world = asked()
  world.answer = 'refused 4\nbusy\n'
  await assert.rejects(world.session.ask(SCRIPT, INPUT), {
    code: 'node.provisioning_busy',
    details: { node, reason: 'busy' },
  })
  world.answer = 'refused 4\nfull\n'
  await assert.rejects(world.session.ask(SCRIPT, INPUT), {
    code: 'node.command_failed',
    message: 'The disk of the Node is full.',
  })
  const reasons = { full: 'node.has_instances' } as const
  await assert.rejects(world.session.ask(SCRIPT, INPUT, { reasons }), { code: 'node.has_instances' })
})

test('a failure on a full disk names the Node and the file system, and believes nothing that is no path', async () => {
  const world = asked()
  world.answer = 'refused 4\nbusy\nfull 21\n/\n/srv\n/\u001b[31m\ncanary\n\n'
  await assert.rejects(world.session.ask(SCRIPT, INPUT), {
    code: 'node.provisioning_busy',
    message: /[^ ] No space is left on the Node web-1 at \/, \/srv \(/,
    details: { node, reason: 'busy', full_file_systems: ['/', '/srv'] },
  })
})

test('what is no answer of the script is the code of a broken one, and none of it goes further but its exit status [ACT-015]', async () => {
  const world = asked()
  const canary = Buffer.from('canary')
  const broken = { exitCode: 2, signal: null, stdout: Buffer.from('done 3\nyes\n'), stderr: canary }
  const answers = [
    '',
    'canary',
    'refused 6\ncanary\n',
    'refused 9\nconstructor\n',
    'done 6\ncanary\n',
    broken,
  ]
  for (const answer of answers) {
    world.answer = answer
    await assert.rejects(world.session.ask(SCRIPT, INPUT), (error: Error) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual([error.code, error.details], ['node.output_too_large', { node }])
      // Its exit status is for the Activity.
      const { exitCode } = Object.fromEntries(Object.entries(Object(error.cause)))
      assert.equal(exitCode, answer === broken ? 2 : undefined)
      assert.doesNotMatch(`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`, /canary/)
      return true
    })
  }
})

test('no command is sent once any lock of the call is lost, whatever was made of the session since [GW-045]', async () => {
  const { session, sent } = asked()
  const [first, second] = [{ held: true }, { held: true }]
  const { locks } = session.call
  const holds = [
    [lockOf('nodeRoles', 7), first],
    [lockOf('agent', 7), second],
  ] as const
  using taken = new DisposableStack()
  for (const [hold, lock] of holds)
    taken.use(
      locks.add(
        hold,
        fakeLock(hold, () => lock.held),
      ),
    )
  const held = session.as('shop').reserving(10)
  await held.ask(SCRIPT, INPUT)
  second.held = false
  const lost = { code: 'agent.converge_lock_lost', details: { node } }
  await assert.rejects(held.ask(SCRIPT, INPUT), lost)
  await assert.rejects(held.run({ line: 'true', shown: 'true' }), lost)
  await assert.rejects(held.asRoot({ line: 'true', shown: 'true' }), lost)
  first.held = false
  await assert.rejects(held.ask(SCRIPT, INPUT), { code: 'node.lock_lost', details: { node } })
  assert.equal(sent.length, 1)
  taken.dispose()
  await held.ask(SCRIPT, INPUT)
})

test('a session with a share for clean-up leaves forward work that much less', async () => {
  const { session, sent } = asked()
  await session.ask(SCRIPT, INPUT)
  await session.reserving(100).ask(SCRIPT, INPUT)
  const [plain, reserving] = sent.map(({ left }) => left)
  assert.ok(plain !== undefined && reserving !== undefined && reserving < plain - 50)
})
