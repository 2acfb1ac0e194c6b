import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { allCommands } from '#/commands.ts'
import { readTree } from '#/tree.ts'
import { candidates, completionScript } from './completion.ts'

const commands = allCommands(readTree())

test('commands, options and choices are offered where they may stand', () => {
  assert.deepEqual(candidates(['node:li'], commands), ['node:list'])
  assert.deepEqual(candidates(['help', 'gateway:u'], commands), ['gateway:use'])
  assert.deepEqual(candidates(['activity:list', '--sta'], commands), ['--status'])
  assert.deepEqual(candidates(['activity:list', '--status', 'f'], commands), ['failed'])
  assert.deepEqual(candidates(['completion', ''], commands), ['bash', 'zsh', 'fish'])
  assert.deepEqual(candidates(['node:frobnicate', ''], commands), [])
})

test('bash completes a command behind its colon', () => {
  const script = `
    fleet() { if [ "$1" = __complete ]; then printf '%s\\n' node:list node:show; fi; }
    ${completionScript('bash')}
    COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:' COMP_LINE='fleet node:' COMP_POINT=11
    _fleet
    printf '%s,' "\${COMPREPLY[@]}"`
  assert.equal(execFileSync('bash', ['-c', script], { encoding: 'utf8' }), 'list,show,')
})

test('every shell has a script', () => {
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(completionScript(shell), /__complete/)
})
