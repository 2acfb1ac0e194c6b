import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { type Command, inputOf, run, script, withStdin } from '@fleet/shell'
import { inControlGroup } from '#/nodes/session/control-group.ts'

const SCOPE = 'fleet-test.scope'

/** A service manager that answers as it is told and writes down what it is asked. */
interface Manager extends Disposable {
  readonly calls: () => readonly string[]
  start(command: Command): ChildProcess
}

function manager({ runs }: { readonly runs: boolean }): Manager {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-group-'))
  const log = join(folder, 'log')
  const program = (name: string, text: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >>'${log}'\n${text}\n`, { mode: 0o755 })
  // One that does not run knows no unit.
  program('systemctl', runs ? 'exit 0' : 'exit 1')
  program('busctl', 'exit 0')
  program('sudo', 'shift; exec "$@"')
  // The group of this machine stays as it is; the waiting for another one is none.
  program('grep', 'exit 0')
  return {
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    start: (command) => {
      const child = spawn('sh', ['-c', command.line], {
        env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
        stdio: 'pipe',
        detached: true,
      })
      child.stdin.end(inputOf(command).join(''))
      return child
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function ended(child: ChildProcess): Promise<{ readonly [name: string]: unknown }> {
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()))
  const [status] = await once(child, 'close')
  return { ...texts, status }
}

const TALKING = withStdin(script('# talk\ncat; echo "$1" >&2; exit 7', "it's"), new Secret('what it reads'))

test('input, both outputs and the exit status are those of the command, with a service manager and without', async () => {
  for (const runs of [true, false]) {
    using host = manager({ runs })
    assert.deepEqual(await ended(host.start(inControlGroup(SCOPE, TALKING))), {
      stdout: 'what it reads',
      stderr: "it's\n",
      status: 7,
    })
  }
})

const END = [`systemctl kill --signal=KILL ${SCOPE}`, `systemctl stop ${SCOPE}`]
/** What is asked about the scope, in order. */
const groupCalls = (calls: readonly string[]): readonly string[] =>
  calls.filter((call) => END.includes(call) || call.startsWith('busctl'))

test('the command is in its scope before its first word, and the scope is ended before it and behind it', async () => {
  using host = manager({ runs: true })
  const { stdout } = await ended(host.start(inControlGroup(SCOPE, run('sh', '-c', 'echo $$'))))
  const calls = groupCalls(host.calls())
  assert.deepEqual([...calls.slice(0, 2), ...calls.slice(3)], [...END, ...END])
  // The subshell that enters becomes the command.
  assert.match(
    calls[2] ?? '',
    new RegExp(`StartTransientUnit .* ${SCOPE} fail 2 PIDs au 1 ${String(stdout).trim()} `),
  )
})

test('a command that is given up takes its scope with it', async () => {
  using host = manager({ runs: true })
  const child = host.start(inControlGroup(SCOPE, run('sh', '-c', 'echo began; exec sleep 60')))
  const began = once(child.stdout ?? assert.fail(), 'data')
  const result = ended(child)
  await began
  process.kill(-(child.pid ?? assert.fail()), 'SIGTERM')
  const { status } = await result
  assert.notEqual(status, 0)
  assert.deepEqual(groupCalls(host.calls()).slice(3), END)
})

test('without a service manager nothing is asked of it but whether it runs', async () => {
  using host = manager({ runs: false })
  await ended(host.start(inControlGroup(SCOPE, run('true'))))
  assert.deepEqual(groupCalls(host.calls()), [])
})
