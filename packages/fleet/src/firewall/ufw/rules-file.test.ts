import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownRule } from '#/firewall/ufw/rule.ts'
import { blockOf, formatRulesFile, parseRulesFile } from '#/firewall/ufw/rules-file.ts'
import { EMPTY_RULES, EMPTY_RULES6 } from '#/firewall/world.test.ts'

const golden = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'golden', `${name}.rules`), 'utf8')

const mixed = golden('mixed-0.36')
const ssh = blockOf(ownRule({ action: 'allow', protocol: 'tcp', port: '22', comment: 'fleet:x' }), 'ipv4')

test('what UFW wrote comes back byte for byte', () => {
  assert.equal(formatRulesFile(parseRulesFile(mixed, 'ipv4')), mixed)
  const six = golden('mixed6-0.35')
  assert.equal(formatRulesFile(parseRulesFile(six, 'ipv6')), six)
})

test('each rule is read with all of its lines', () => {
  const { blocks } = parseRulesFile(mixed, 'ipv4')
  assert.deepEqual(
    blocks.map(({ rule, lines }) => [rule?.action, rule?.direction, rule?.port, lines.length]),
    [
      ['limit', 'in', '22', 4],
      ['allow', 'routed', 'any', 2],
      ['allow', 'in', '80,443', 2],
      ['deny', 'in', '9999', 5],
      ['reject', 'out', 'any', 2],
      ['allow', 'in', 'any', 3],
    ],
  )
  assert.equal(blocks[1]?.rule?.comment, 'fleet:vpn-forward')
})

test('the file of a fresh UFW takes its first rule before what limits rates', () => {
  const file = parseRulesFile(EMPTY_RULES, 'ipv4')
  const text = formatRulesFile({ ...file, blocks: [ssh] })
  assert.equal(
    text,
    EMPTY_RULES.replace(
      '### RULES ###\n',
      `### RULES ###

### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in comment=666c6565743a78
-A ufw-user-input -p tcp --dport 22 -j ACCEPT

### END RULES ###
`,
    ),
  )
  assert.deepEqual(parseRulesFile(text, 'ipv4').blocks, [ssh])
})

test('a line that is no rule of UFW stays where somebody put it', () => {
  const own = '-A ufw-user-input -p tcp --dport 1 -j ACCEPT'
  const text = mixed.replace('### RULES ###\n', `### RULES ###\n\n${own}\n`)
  const file = parseRulesFile(text, 'ipv4')
  assert.deepEqual(file.blocks[0], { rule: undefined, lines: [own] })
  assert.equal(formatRulesFile(file), text)
})

for (const [what, text, family, rules] of [
  ['missing', '', 'ipv4', 0],
  ['cut off in its head', mixed.slice(0, 60), 'ipv4', 0],
  ['cut off in its rules', mixed.slice(0, mixed.indexOf('### tuple ### deny_log')), 'ipv4', 3],
  ['cut off before its end', mixed.replace('COMMIT\n', ''), 'ipv4', 6],
  ['missing for IPv6', '', 'ipv6', 0],
] as const) {
  test(`a file that is ${what} has a whole frame again, and the rules that are left`, () => {
    const file = parseRulesFile(text, family)
    assert.equal(file.blocks.length, rules)
    const whole = formatRulesFile(file)
    assert.ok(whole.startsWith('*filter\n') && whole.endsWith('\nCOMMIT\n'))
    assert.deepEqual(parseRulesFile(whole, family).blocks, file.blocks)
    const frame = (family === 'ipv4' ? EMPTY_RULES : EMPTY_RULES6).replace(
      '### RULES ###\n',
      '### RULES ###\n\n### END RULES ###\n',
    )
    assert.equal(formatRulesFile({ ...file, blocks: [] }), frame)
  })
}

for (const kind of ['limit', 'deny_log'])
  test(`a rule that was cut off after its tuple is not guessed where it says ${kind}`, () => {
    const tuple = mixed.indexOf(`### tuple ### ${kind}`)
    const { blocks } = parseRulesFile(mixed.slice(0, mixed.indexOf('\n', tuple) + 1), 'ipv4')
    assert.deepEqual(blocks.at(-1)?.lines, [mixed.slice(tuple, mixed.indexOf('\n', tuple))])
  })

test('wherever a file is cut off, no half line is left', () => {
  const own = blockOf(ownRule({ action: 'deny', protocol: 'udp', port: '1:9', comment: 'fleet:x' }), 'ipv4')
  const file = parseRulesFile(mixed, 'ipv4')
  const text = formatRulesFile({ ...file, blocks: [own, ...file.blocks] })
  const frame = formatRulesFile(parseRulesFile('', 'ipv4'))
  const forward = '-A ufw-user-forward -i fleet -o fleet -j ACCEPT'
  const known = new Set([...text.split('\n'), ...frame.split('\n'), forward])
  for (let end = 0; end < text.length; end += 1) {
    const lines = formatRulesFile(parseRulesFile(text.slice(0, end), 'ipv4')).split('\n')
    const strange = lines.filter((line) => !known.has(line))
    // What UFW would write for a rule whose own lines are gone is as good as those.
    assert.ok(
      strange.every((line) => /^-A ufw-user-(?:input|output) .* -j (?:ACCEPT|DROP)$/.test(line)),
      strange.join('\n'),
    )
  }
})
