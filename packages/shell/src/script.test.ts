import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { environment } from './environment.ts'
import { run } from './command.ts'
import { script } from './script.ts'

const output = (line: string): string => spawnSync('sh', ['-c', line]).stdout.toString()

test('a script gets its arguments as they are, and they cannot become part of it', () => {
  const source = 'printf "%s|" "$0" "$#" "$@"'
  const { line } = script(source, 'a b', "'; reboot", '', '-n', 7)
  assert.equal(output(line), "fleet|5|a b|'; reboot||-n|7|")
})

test('a script is written as one command', () => {
  assert.equal(script('echo "$1"', 'x y').line, `sh -c 'echo "$1"' fleet 'x y'`)
})

test('logs show the first comment line and the arguments, not the source', () => {
  assert.equal(script('\n# write a file\ncat >"$1"\n', '/a b').shown, "script 'write a file' '/a b'")
  assert.equal(script('true', 1).shown, 'script sh 1')
})

test('a script too long for one argument is refused', () => {
  assert.throws(() => script('#'.repeat(96 * 1024 + 1)), /96 KiB/)
})

test('environment words set variables for one command', () => {
  const { line } = run(...environment({ A: "it's", B: undefined, C: '' }), 'sh', '-c', 'echo "$A|$B|$C"')
  assert.equal(output(line), "it's||\n")
  assert.equal(run(...environment({}), 'true').line, 'true')
  assert.throws(() => environment({ 'A B': 'x' }), /not a name/)
})
