import type { Family, UfwRule } from '#/firewall/ufw/rule.ts'

const START = '### tuple ### '
const EVERYWHERE = { ipv4: '0.0.0.0/0', ipv6: '::/0' } as const satisfies Record<Family, string>
const ACTIONS = ['allow', 'deny', 'reject', 'limit'] as const

export const isTuple = (line: string): boolean => line.startsWith(START)

/**
 * Reads the comment line by which UFW itself remembers a rule:
 * `### tuple ### [route:]ACTION[_LOG] PROTO DPORT DST SPORT SRC [DAPP SAPP] [PLACE] [comment=HEX]`.
 * Undefined for what UFW would skip too.
 */
export function parseTuple(line: string, family: Family): UfwRule | undefined {
  if (!isTuple(line)) return undefined
  const [reported = '', comment] = line.slice(START.length).split(' comment=')
  const words = reported.trim().split(/\s+/)
  if (words.length < 6 || words.length > 9) return undefined
  const [verb = '', protocol = '', port = '', destination = '', sourcePort = '', source = '', ...rest] = words
  const head = verbOf(verb)
  const place = placeOf(words.length % 2 === 1 ? words.at(-1) : 'in', head?.isRouted ?? false)
  if (!head || !place) return undefined
  const [destinationProfile = '', sourceProfile = ''] = rest
  return {
    action: head.action,
    ...(head.log === undefined ? {} : { log: head.log }),
    protocol,
    port,
    destination: anyOf(destination, family),
    sourcePort,
    source: anyOf(source, family),
    ...place,
    ...(comment === undefined ? {} : { comment: Buffer.from(comment.trim(), 'hex').toString('utf8') }),
    ...(words.length >= 8 ? { profiles: [destinationProfile, sourceProfile] } : {}),
  }
}

/** Writes it as UFW does. */
export function formatTuple(rule: UfwRule, family: Family): string {
  const route = rule.direction === 'routed' ? 'route:' : ''
  const words = [
    `${route}${rule.action}${rule.log === undefined ? '' : `_${rule.log}`}`,
    rule.protocol,
    rule.port,
    rule.destination === 'any' ? EVERYWHERE[family] : rule.destination,
    rule.sourcePort,
    rule.source === 'any' ? EVERYWHERE[family] : rule.source,
    ...(rule.profiles ?? []),
    formatPlace(rule),
  ]
  const comment =
    rule.comment === undefined ? '' : ` comment=${Buffer.from(rule.comment, 'utf8').toString('hex')}`
  return `${START}${words.join(' ')}${comment}`
}

const anyOf = (address: string, family: Family): string => (address === EVERYWHERE[family] ? 'any' : address)

function verbOf(
  text: string,
): (Pick<UfwRule, 'action' | 'log'> & { readonly isRouted: boolean }) | undefined {
  const isRouted = text.startsWith('route:')
  const [name, log] = (isRouted ? text.slice('route:'.length) : text).split('_')
  const action = ACTIONS.find((known) => known === name)
  return action && { action, log, isRouted }
}

type Where = Pick<UfwRule, 'direction' | 'interfaceIn' | 'interfaceOut'>

function placeOf(text = 'in', isRouted: boolean): Where | undefined {
  const both = /^in_([^!]+)!out_([^!]+)$/.exec(text)
  if (both) return { direction: isRouted ? 'routed' : 'in', interfaceIn: both[1], interfaceOut: both[2] }
  const one = /^(in|out)(?:_([^!]+))?$/.exec(text)
  if (!one) return undefined
  const direction = isRouted ? 'routed' : one[1] === 'out' ? 'out' : 'in'
  if (one[2] === undefined) return { direction }
  return one[1] === 'out' ? { direction, interfaceOut: one[2] } : { direction, interfaceIn: one[2] }
}

function formatPlace({ direction, interfaceIn, interfaceOut }: UfwRule): string {
  if (interfaceIn !== undefined && interfaceOut !== undefined) return `in_${interfaceIn}!out_${interfaceOut}`
  if (interfaceIn !== undefined) return `in_${interfaceIn}`
  if (interfaceOut !== undefined) return `out_${interfaceOut}`
  return direction === 'out' ? 'out' : 'in'
}
