import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createColors } from 'picocolors'
import { inputText, writerTo } from './terminal.ts'

const written = (text: string, isTerminal: boolean): string => {
  let all = ''
  writerTo({ write: (chunk) => void (all += chunk) }, isTerminal)(text)
  return all
}

test('nothing that is printed can steer the terminal, and colors stay', () => {
  const { red, bold, dim, cyan } = createColors(true)
  const colored = `${red(bold('x.y'))}  ${dim('No.')}\t${cyan('fleet help')}\n`
  assert.equal(written(colored, true), colored)
  for (const [hostile, shown] of [
    ['\u001B]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['\u001B[2J\u001B[8mhidden', '\\u001b[2J\\u001b[8mhidden'],
    ['\u009B2J', '\\u009b2J'],
    ['over\rwritten', 'over\\u000dwritten'],
    ['a\u202Eb', 'a\\u202eb'],
  ] as const)
    assert.equal(written(hostile, true), shown)
})

test('a file gets every byte', () => {
  assert.equal(written('a\rb\u001B[2J', false), 'a\rb\u001B[2J')
})

test('standard input that is no UTF-8 is refused, and what is arrives whole', () => {
  const bytes = Buffer.from('\uFEFFä')
  assert.equal(inputText([bytes.subarray(0, 4), bytes.subarray(4)]), '\uFEFFä')
  assert.throws(() => inputText([Buffer.from([0x61, 0xff])]), { code: 'usage' })
})
