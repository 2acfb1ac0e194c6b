import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { run, shownAs, withStdin } from './command.ts'

const unitStart = (unit: string, now: boolean) => run('systemctl', 'enable', now && '--now', unit)

test('a unit starts now only when asked', () => {
  assert.equal(unitStart('orbit-process-7-web', false).line, 'systemctl enable orbit-process-7-web')
  assert.equal(unitStart('orbit-process-7-web', true).line, 'systemctl enable --now orbit-process-7-web')
})

test('a name cannot leave its word', () => {
  assert.equal(run('rm', '-rf', "a b'; reboot #").line, String.raw`rm -rf 'a b'\''; reboot #'`)
})

test('numbers are words, as far as they are numbers', () => {
  assert.equal(run('sleep', 0, -1.5).line, 'sleep 0 -1.5')
  assert.throws(() => run('sleep', Number.NaN), /finite/)
})

test('a secret is refused as an argument, whatever its type claims to be', () => {
  const disguised = new Secret('hunter2') as unknown as string // What the type check would have stopped.
  assert.throws(() => run('printf', '%s', disguised), /standard input/)
})

test('a secret on standard input stands in neither line', () => {
  const command = withStdin(run('mysql'), new Secret('hunter2'))
  assert.equal(command.stdin?.reveal(), 'hunter2')
  assert.ok(!JSON.stringify(command).includes('hunter2'))
  assert.throws(() => withStdin(command, new Secret('x')), /already/)
})

test('a shorter name changes what is shown and nothing else', () => {
  assert.deepEqual(shownAs(run('true'), 'look'), { line: 'true', shown: 'look' })
})

test('a command without words is refused', () => {
  assert.throws(() => run(undefined, false), /at least one word/)
})
