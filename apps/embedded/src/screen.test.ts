import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeScreen } from './screen.ts'

const printed = (isTTY: boolean, print: (screen: ReturnType<typeof makeScreen>) => void): string => {
  let text = ''
  print(makeScreen({ isTTY, write: (chunk) => (text += chunk) }))
  return text
}

test('away from a terminal the lines are plain', () => {
  const text = printed(false, (screen) => {
    screen.heading('Now')
    screen.done('Nodes', 'two of them', 12.4, ['node-1', 'node-2'])
    screen.done('Slow', 'one', 1234, [])
    screen.failed('Project', 'not made', ['request 1'])
    screen.command('./fleet node:list', 'the Nodes')
  })
  assert.equal(
    text,
    [
      '',
      'Now',
      '✓ Nodes       two of them  12 ms',
      '              node-1',
      '              node-2',
      '✓ Slow        one  1.2 s',
      '✗ Project     not made',
      '              request 1',
      '  ./fleet node:list',
      '    the Nodes',
      '',
    ].join('\n'),
  )
})
