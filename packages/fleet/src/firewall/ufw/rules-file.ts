import { netfilterLine } from '#/firewall/ufw/netfilter.ts'
import type { Family, UfwRule } from '#/firewall/ufw/rule.ts'
import { formatTuple, isTuple, parseTuple } from '#/firewall/ufw/tuple.ts'

/** One rule with its literal lines; undefined for lines that UFW would not read as a rule. */
export interface Block {
  readonly rule: UfwRule | undefined
  readonly lines: readonly string[]
}

/** `/etc/ufw/user.rules` or `user6.rules`, in which UFW keeps every rule together with what the kernel loads for it. */
export interface RulesFile {
  readonly family: Family
  readonly head: readonly string[]
  readonly blocks: readonly Block[]
  readonly tail: readonly string[]
}

const RULES = '### RULES ###'
const END = '### END RULES ###'

/**
 * Reads a rules file; a missing one, or one that was cut off, is read as far as it goes and gets a complete frame
 * again. UFW writes into the live file, so a full disk or a power cut leaves exactly that.
 */
export function parseRulesFile(text: string, family: Family): RulesFile {
  // Half a line is none: the kernel would refuse the whole file for it.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .replace(/\n+$/, '')
    .split('\n')
  const start = lines.indexOf(RULES)
  const isWhole = start !== -1 && lines.includes('COMMIT', start)
  const inside = start === -1 ? [] : lines.slice(start + 1)
  const end = inside.findIndex((line) => !belongsToRules(line))
  const blocks = blocksOf(end === -1 ? inside : inside.slice(0, end), family).map((block) =>
    mended(block, family),
  )
  if (!isWhole) return { family, ...frameOf(family), blocks }
  const rest = end === -1 ? [] : inside.slice(end)
  return { family, head: lines.slice(0, start + 1), blocks, tail: rest[0] === END ? rest : [END, ...rest] }
}

export const formatRulesFile = ({ head, blocks, tail }: RulesFile): string =>
  [...head, ...blocks.flatMap(({ lines }) => ['', ...lines]), '', ...tail, ''].join('\n')

/** The block of a rule of the fleet, as UFW would have written it. */
export const blockOf = (rule: UfwRule, family: Family): Block => ({
  rule,
  lines: [formatTuple(rule, family), netfilterLine(rule, family)],
})

const belongsToRules = (line: string): boolean =>
  line.trim() === '' || isTuple(line) || /^-[AI] ufw6?-user-(?:input|output|forward|logging-\w+) /.test(line)

/** A rule that was cut off after its tuple would be remembered and never loaded. */
const mended = (block: Block, family: Family): Block =>
  block.rule && block.lines.length === 1 && isPlain(block.rule) ? blockOf(block.rule, family) : block

const isPlain = ({ action, log, profiles, protocol, port, sourcePort }: UfwRule): boolean =>
  (action === 'allow' || action === 'deny') &&
  log === undefined &&
  profiles === undefined &&
  sourcePort === 'any' &&
  (protocol === 'any' ? port === 'any' : !port.includes(','))

function blocksOf(lines: readonly string[], family: Family): readonly Block[] {
  const blocks: { rule: UfwRule | undefined; lines: string[] }[] = []
  for (const line of lines.filter((text) => text.trim() !== '')) {
    const last = blocks.at(-1)
    if (isTuple(line) || !last) blocks.push({ rule: parseTuple(line, family), lines: [line] })
    else last.lines.push(line)
  }
  return blocks
}

const CHAINS = [':ufw-user-input - [0:0]', ':ufw-user-output - [0:0]', ':ufw-user-forward - [0:0]']

/** What UFW ships as an empty rules file. */
const frameOf = (family: Family): Pick<RulesFile, 'head' | 'tail'> =>
  family === 'ipv6'
    ? {
        head: ['*filter', ...CHAINS.map((chain) => chain.replace('ufw', 'ufw6')), RULES],
        tail: [END, 'COMMIT'],
      }
    : {
        head: ['*filter', ...CHAINS, ':ufw-user-limit - [0:0]', ':ufw-user-limit-accept - [0:0]', RULES],
        tail: [
          END,
          '-A ufw-user-limit -m limit --limit 3/minute -j LOG --log-prefix "[UFW LIMIT BLOCK] "',
          '-A ufw-user-limit -j REJECT',
          '-A ufw-user-limit-accept -j ACCEPT',
          'COMMIT',
        ],
      }
