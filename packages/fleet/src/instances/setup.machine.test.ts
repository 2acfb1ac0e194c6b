import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import { addStep, type FakeCall } from '@fleet/testing'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

const setUp = (fleet: InstancesFleet, instance: number, call: FakeCall = fleet.call()) =>
  fleet.domain.handlers['instance:setup']({ call, input: { instance } })

const step = (
  fleet: InstancesFleet,
  position: number,
  command: string,
  given: { timeout_seconds?: number } = {},
) => addStep(fleet.store, { project_id: fleet.project.id, position, command, ...given })

const rowOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().executeTakeFirst()

test('setup runs the current list in order at the repository root and answers the Instance [INS-032, INS-088, PRJ-021, PRJ-064, PRJ-067]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const proof = join(fleet.home, 'proof')
  await step(fleet, 1, `pwd >> ${proof}`)
  await step(fleet, 2, `echo two >> ${proof}`)
  const answer = await setUp(fleet, data.id)
  assert.deepEqual(answer.data, data)
  assert.equal(readFileSync(proof, 'utf8'), `${data.checkout_path}\ntwo\n`)
})

test('steps, fetches and removals leave channels of the Node to short work', async () => {
  await using fleet = await startInstancesFleet()
  const long = new Set<string>()
  const run: SshPool['run'] = (target, command, options) => {
    if (options.isLong) long.add(/'(.+?)'/.exec(command.shown)?.[1] ?? command.shown)
    return fleet.pool.run(target, command, options)
  }
  const domain = fleet.rebuild({ ssh: { ...fleet.pool, run } })
  await step(fleet, 1, 'true')
  const { data } = await fleet.create({}, domain)
  await fleet.destroy(data.id, true, domain)
  assert.deepEqual([...long].toSorted(), [
    'discard checkout',
    'inspect source',
    'resolve source',
    'run lifecycle step',
  ])
})

test('a failing step stops the list, keeps the Instance and marks it, and a later success clears the mark [INS-016, INS-088]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const proof = join(fleet.home, 'proof')
  const failing = await step(fleet, 1, 'exit 7')
  await step(fleet, 2, `touch ${proof}`)
  const { code, status, details } = await refusalOf(setUp(fleet, data.id))
  assert.deepEqual([code, status], ['instance.setup_step_failed', 502])
  assert.deepEqual(details, {
    node: { id: fleet.node.id, name: fleet.node.name },
    step: 'step-1',
    outcome: 'failed',
    exit_code: 7,
  })
  assert.equal(existsSync(proof), false)
  const row = await rowOf(fleet)
  assert.deepEqual(
    [row?.status, row?.failed_step, row?.error_code],
    ['active', 'setup', 'instance.setup_step_failed'],
  )
  await fleet.store.db
    .updateTable('project_steps')
    .set({ command: 'true' })
    .where('id', '=', failing.id)
    .execute()
  const { data: repaired } = await setUp(fleet, data.id)
  assert.deepEqual([repaired.failed_step, repaired.error_code], [null, null])
})

test('a step is a bash script that stops at the first error and at unset variables, without input [PRJ-065]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const proof = join(fleet.home, 'proof')
  const cases = [
    [`[[ bash == b* ]]; read -r line && touch ${proof} || true; echo $0 >/dev/null`, undefined],
    [`false\ntouch ${proof}`, 1],
    [`echo $nobody_set_this\ntouch ${proof}`, 1],
    [`cat && [ "$(cat)" = "" ]`, undefined],
  ] as const
  for (const [index, [command, exitCode]] of cases.entries()) {
    await fleet.store.db.deleteFrom('project_steps').execute()
    await step(fleet, index + 1, command)
    if (exitCode === undefined) await setUp(fleet, data.id)
    else assert.equal((await refusalOf(setUp(fleet, data.id))).details['exit_code'], exitCode)
  }
  assert.equal(existsSync(proof), false)
})

/** A pipe whose reading ends when nobody holds its other end any more. */
function makePipe(fleet: InstancesFleet): { readonly path: string; readonly ended: Promise<Buffer[]> } {
  const path = join(fleet.home, 'pipe')
  execFileSync('mkfifo', [path])
  return { path, ended: createReadStream(path).toArray() }
}

test('a step sees the locale of its user, not the one in which the scripts read answers [PRJ-065]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const proof = join(fleet.home, 'proof')
  await step(fleet, 1, `echo "\${LC_ALL-unset} \${OLDPWD-unset} $LANG" > ${proof}`)
  await setUp(fleet, data.id)
  assert.equal(readFileSync(proof, 'utf8'), 'unset unset C.UTF-8\n')
})

test('what a step leaves running is killed with it [PRJ-065]', { timeout: 90_000 }, async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const pipe = makePipe(fleet)
  // Opened by the step itself: a child killed before it could open the pipe would leave its reader waiting for ever.
  await step(fleet, 1, `exec 3> ${pipe.path}; sleep 300 >&3 & (trap '' TERM HUP; sleep 300) >&3 &`)
  await setUp(fleet, data.id)
  assert.deepEqual(await pipe.ended, [])
})

const hasProcesses = {
  timeout: 90_000,
  skip: process.platform !== 'linux' && 'only Linux shows environments',
}

test('what a step moved out of its process group is killed with it [PRJ-065]', hasProcesses, async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const pipe = makePipe(fleet)
  const away = `setsid sh -c 'trap "" TERM HUP; cd /; sleep 300; sleep 300' >&3 2>&3 &`
  await step(fleet, 1, `exec 3> ${pipe.path}; ${away} setsid setsid sleep 300 >&3 &`)
  await setUp(fleet, data.id)
  assert.deepEqual(await pipe.ended, [])
})

test('what a killed script left of its step is ended before the next one', hasProcesses, async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const pipe = makePipe(fleet)
  const script = '$(ps -o ppid= -p $PPID)'
  await step(
    fleet,
    1,
    `exec 3> ${pipe.path}; setsid sleep 300 >&3 & kill -KILL ${script} $PPID; sleep 300 >&3`,
  )
  assert.equal((await refusalOf(setUp(fleet, data.id))).code, 'instance.setup_step_failed')
  await fleet.store.db.updateTable('project_steps').set({ command: 'true' }).execute()
  await setUp(fleet, data.id)
  assert.deepEqual(await pipe.ended, [])
})

/** A service manager that writes down what it is asked for; a unit is active from the moment that it was asked for. */
const RECORDER = `#!/bin/sh
printf '%s\\n' "\${0##*/} $*" >>"$RECORD"
case "$*" in
*' is-active init.scope' | *' kill '* | *' stop '*) ;;
*' is-active '*) grep -q "StartTransientUnit.* \${3} " "$RECORD" ;;
esac
`

function recordedSystemd(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-systemd-'))
  context.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['systemctl', 'busctl']) writeFileSync(join(folder, name), RECORDER, { mode: 0o755 })
  writeFileSync(join(folder, 'sudo'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 })
  const record = join(folder, 'record')
  writeFileSync(record, '')
  return {
    env: { PATH: `${folder}:${process.env['PATH']}`, RECORD: record },
    calls: () => readFileSync(record, 'utf8').trimEnd().split('\n'),
  }
}

test('under systemd a step has a control group of its own, which is ended with it [PRJ-065]', async (context) => {
  const systemd = recordedSystemd(context)
  await using fleet = await startInstancesFleet({ env: systemd.env })
  const { data } = await fleet.create()
  const before = systemd.calls().length
  await step(fleet, 1, 'true')
  await setUp(fleet, data.id)
  const unit = `fleet-step-${(await rowOf(fleet))?.preparation_id}.scope`
  const manager = 'org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager'
  assert.deepEqual(
    systemd
      .calls()
      .slice(before)
      .map((call) => call.replace(/(?<=PIDs au 1 )\d+/, 'PID')),
    [
      `systemctl --quiet is-active ${unit}`,
      'systemctl --quiet is-active init.scope',
      `busctl --quiet call ${manager} StartTransientUnit ssa(sv)a(sa(sv)) ${unit} fail 2 PIDs au 1 PID CollectMode s inactive-or-failed 0`,
      `systemctl --quiet is-active ${unit}`,
      `systemctl kill --signal=KILL ${unit}`,
      `systemctl stop ${unit}`,
    ],
  )
})

test(
  'a step over its own time is killed and named as timed out [PRJ-060, PRJ-065]',
  { timeout: 90_000 },
  async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    const pipe = makePipe(fleet)
    await step(fleet, 1, `exec > ${pipe.path}; trap '' TERM; sleep 300`, { timeout_seconds: 1 })
    const { code, details } = await refusalOf(setUp(fleet, data.id))
    assert.deepEqual([code, details['outcome']], ['instance.setup_step_failed', 'timeout'])
    assert.deepEqual(await pipe.ended, [])
  },
)

test('a step that kills its parent has failed at once, as one that is killed', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await step(fleet, 1, 'kill -KILL $PPID; sleep 300')
  const call = fleet.call({ deadline: new Deadline(systemClock, 30, 0) })
  const { code, details } = await refusalOf(setUp(fleet, data.id, call))
  assert.deepEqual([code, details['exit_code']], ['instance.setup_step_failed', 137])
})

test('a step cut by the time of the request answers 504 with its name [PRJ-072, GW-034]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await step(fleet, 1, 'sleep 300')
  const call = fleet.call({ deadline: new Deadline(systemClock, 3.2, 0) })
  const { code, status, details } = await refusalOf(setUp(fleet, data.id, call))
  assert.deepEqual([code, status], ['command.deadline_exceeded', 504])
  assert.deepEqual([details['step'], details['outcome']], ['step-1', 'deadline'])
})

test('exit 126 and 127 say that a program is missing [PRJ-073]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  for (const [command, exitCode] of [
    ['no-such-program', 127],
    ['./README.md', 126],
  ] as const) {
    await fleet.store.db.deleteFrom('project_steps').execute()
    await step(fleet, 1, command)
    const { code, details } = await refusalOf(setUp(fleet, data.id))
    assert.equal(code, 'instance.setup_step_unavailable')
    assert.deepEqual([details['outcome'], details['exit_code']], ['missing', exitCode])
  }
  await assert.rejects(setUp(fleet, data.id), {
    message: `A setup step ended with status 126: the Node lacks a program that it runs, or may not run it. Install it there, or change the step: \`fleet project:setup-step:update ${fleet.project.slug} step-1 --command COMMAND\`.`,
  })
})

test('a lost reply leaves the outcome unconfirmed and the Instance marked [PRJ-070]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await step(fleet, 1, 'true')
  fleet.pool.loseReplyOf(fleet.pool.commands.length + 1)
  const { code, details } = await refusalOf(setUp(fleet, data.id))
  assert.deepEqual([code, details['outcome']], ['instance.setup_step_failed', 'unconfirmed'])
  assert.equal((await rowOf(fleet))?.failed_step, 'setup')
})

test('a checkout that is gone or has another one in its place is refused, and one that setup of a creation deleted is a failure', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const { data: second } = await fleet.create({ name: 'second' })
  await step(fleet, 1, 'true')
  const away = `${data.checkout_path}.away`
  const found = async () => {
    const { code, status } = await refusalOf(setUp(fleet, data.id))
    return [code, status]
  }
  renameSync(data.checkout_path, away)
  assert.deepEqual(await found(), ['instance.source_path_mismatch', 409])
  symlinkSync(away, data.checkout_path)
  assert.deepEqual(await found(), ['instance.source_ownership_mismatch', 409])
  rmSync(data.checkout_path)
  renameSync(second.checkout_path, data.checkout_path)
  assert.deepEqual(await found(), ['instance.source_ownership_mismatch', 409])
  renameSync(data.checkout_path, second.checkout_path)
  renameSync(away, data.checkout_path)
  await setUp(fleet, data.id)
  await step(fleet, 2, 'rm -r "$PWD"')
  await step(fleet, 3, 'true')
  const { code, status } = await refusalOf(fleet.create({ name: 'third' }))
  assert.deepEqual([code, status], ['instance.source_failed', 502])
})

test('setup needs an active Instance on an active Node [PRJ-074]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await fleet.store.db.updateTable('instances').set({ status: 'source_resolved' }).execute()
  assert.equal((await refusalOf(setUp(fleet, data.id))).code, 'instance.setup_unavailable')
  await fleet.store.db.updateTable('instances').set({ status: 'active', environment: 'production' }).execute()
  assert.equal((await refusalOf(setUp(fleet, data.id))).code, 'instance.setup_unavailable')
  await fleet.store.db.updateTable('instances').set({ environment: 'development' }).execute()
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  assert.equal((await refusalOf(setUp(fleet, data.id))).code, 'node.not_active')
  assert.equal((await refusalOf(setUp(fleet, 999))).code, 'instance.not_found')
})

test('the command text and its output reach no error, no Activity, no log and no argument list [PRJ-075]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const canary = 'canary-7f3a'
  await step(
    fleet,
    1,
    `echo ${canary}-output; ps -eo args > ${join(fleet.home, 'processes')}; exit 3 # ${canary}`,
  )
  const call = fleet.call()
  const error: unknown = await setUp(fleet, data.id, call).catch((reason: unknown) => reason)
  const seen = JSON.stringify([
    error,
    String(error),
    call.notes,
    call.logged,
    fleet.pool.commands,
    await rowOf(fleet),
  ])
  assert.equal(seen.includes(canary), false)
  assert.equal(readFileSync(join(fleet.home, 'processes'), 'utf8').includes(canary), false)
})
