import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AgentStateMessage, readAgentMessage } from '#/agents/messages.ts'
import { NodeView } from '#/agents/view/node-view.ts'

const AGENT = 'agent.7'

/** What may happen on a Node's channel, sensible or not. `step` is added to the last number of the agent. */
type Happening =
  | { readonly kind: 'joined'; readonly hasAgent: boolean }
  | { readonly kind: 'left' | 'added' | 'removed' }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'told'; readonly step: number; readonly userId: string; readonly body: Body }
type Body =
  | { readonly event: 'beat' }
  | { readonly event: 'unit'; readonly name: string; readonly status: string }
  | {
      readonly event: 'units'
      readonly part: number
      readonly parts: number
      readonly names: readonly string[]
    }

const name = fc.constantFrom('a', 'b', 'c')
const body: fc.Arbitrary<Body> = fc.oneof(
  fc.record({ event: fc.constant('beat' as const) }),
  fc.record({ event: fc.constant('unit' as const), name, status: fc.constantFrom('active', 'failed') }),
  fc
    .record({
      parts: fc.integer({ min: 1, max: 3 }),
      part: fc.integer({ min: 1, max: 3 }),
      names: fc.array(name, { maxLength: 2 }),
    })
    .map(({ parts, part, names }) => ({
      event: 'units' as const,
      parts,
      part: Math.min(part, parts),
      names,
    })),
)
const reported = (step: fc.Arbitrary<number>, said: fc.Arbitrary<Body>): fc.Arbitrary<Happening> =>
  fc.record({ kind: fc.constant('told' as const), step, userId: fc.constant(AGENT), body: said })
/** A whole list as an agent sends it, so that complete ones are common. */
const whole: fc.Arbitrary<readonly Happening[]> = fc
  .array(fc.array(name, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
  .map((lists) =>
    lists.map((names, index) => ({
      kind: 'told',
      step: 1,
      userId: AGENT,
      body: { event: 'units', part: index + 1, parts: lists.length, names },
    })),
  )
const one: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: reported(fc.constant(1), body) },
  // Lost ones, repeated ones and a run that began again.
  { weight: 2, arbitrary: reported(fc.constantFrom(0, 2, 5, -1, -1000), body) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('told' as const),
      step: fc.constant(1),
      userId: fc.constantFrom('viewer.1.1', 'agent.70', 'gateway.1.1'),
      body,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('joined' as const), hasAgent: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('left' as const, 'added' as const, 'removed' as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 5, 14, 15, 30, 60),
    }),
  },
)
const life = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: one.map((happening) => [happening]) }, { weight: 2, arbitrary: whole }),
    { maxLength: 30 },
  )
  .map((parts): readonly Happening[] => [{ kind: 'joined', hasAgent: true }, ...parts.flat()])

/** One happening with its time and, where it is a message, the number it carried. */
type Entry = Happening & { readonly at: number; readonly sequence: number }
interface Accepted {
  readonly at: number
  readonly sequence: number
  readonly index: number
  readonly body: Body
}

/** What the view should show, found by looking at everything that ever happened. */
class Model {
  readonly entries: readonly Entry[]
  readonly now: number
  constructor(entries: readonly Entry[], now: number) {
    this.entries = entries
    this.now = now
  }

  isPresentAfter(index: number): boolean {
    const changes = this.entries
      .slice(0, index + 1)
      .filter(({ kind }) => ['joined', 'added', 'removed'].includes(kind))
    const last = changes.at(-1)
    return last?.kind === 'added' || (last?.kind === 'joined' && last.hasAgent)
  }
  get accepted(): readonly Accepted[] {
    return this.entries.flatMap((entry, index) =>
      entry.kind === 'told' && entry.userId === AGENT && this.isPresentAfter(index - 1)
        ? [{ ...entry, index }]
        : [],
    )
  }
  get heard(): Accepted | undefined {
    return this.accepted.filter(({ index }) => this.stays(index, this.entries.length)).at(-1)
  }
  /** The agent is there after each entry from one to the other. */
  stays(from: number, to: number): boolean {
    return this.entries.slice(from, to).every((_, offset) => this.isPresentAfter(from + offset))
  }
  isOnline(): boolean {
    return this.heard !== undefined && this.now - this.heard.at < 15
  }
  /** How a message stands to the one before it in the same run. */
  breakAt(message: Accepted): 'none' | 'doubt' | 'forget' {
    const earlier = this.accepted.filter(({ index }) => index < message.index)
    const previous = earlier.at(-1)
    if (!previous) return 'none'
    const silence = this.stays(previous.index, message.index) ? message.at - previous.at : 0
    if (silence >= 60) return 'forget'
    const between = this.entries.slice(previous.index + 1, message.index)
    const isSameRun = !between.some(
      (entry) => entry.kind === 'added' || entry.kind === 'removed' || entry.kind === 'joined',
    )
    if (isSameRun && message.sequence <= previous.sequence) return 'forget'
    const isNext = !isSameRun || message.sequence === previous.sequence + 1
    return isNext && silence < 15 ? 'none' : 'doubt'
  }
  isDoubtAt(index: number): boolean {
    const { kind } = this.entries[index] ?? { kind: 'pass' }
    if (kind !== 'told') return kind !== 'pass'
    const message = this.accepted.find((candidate) => candidate.index === index)
    return message !== undefined && this.breakAt(message) !== 'none'
  }
  /** The messages of the complete list that ends with this one. */
  listEndingAt(message: Accepted): readonly Accepted[] | undefined {
    if (message.body.event !== 'units' || message.body.part !== message.body.parts) return undefined
    const parts = this.accepted.filter(
      ({ index, body: { event } }) => index <= message.index && event === 'units',
    )
    const list = parts.slice(-message.body.parts)
    const { parts: count } = message.body
    const fits = list.every(
      ({ body: part }, at) => part.event === 'units' && part.part === at + 1 && part.parts === count,
    )
    const [first] = list
    if (!fits || list.length !== count || !first) return undefined
    const from = first.index + 1
    const isWhole = !this.entries
      .slice(from, message.index + 1)
      .some((_, offset) => this.isDoubtAt(from + offset))
    return isWhole ? list : undefined
  }
  see() {
    const { accepted } = this
    const forgotten = accepted.findLast((message) => this.breakAt(message) === 'forget')?.index ?? -1
    const ends = accepted.filter((message) => message.index >= forgotten && this.listEndingAt(message))
    const end = ends.at(-1)
    const last = accepted.at(-1)
    const isKept = last !== undefined && this.now - last.at < 60
    const isCurrent =
      end !== undefined && !this.entries.some((_, index) => index > end.index && this.isDoubtAt(index))
    return {
      presence: this.isOnline() ? 'online' : last ? 'lost' : 'unknown',
      isFresh: this.isOnline() && isCurrent,
      units: isKept && end ? this.unitsSince(end) : undefined,
    }
  }
  unitsSince(end: Accepted): Readonly<Record<string, string>> {
    const list = this.listEndingAt(end) ?? []
    const units: Record<string, string> = {}
    for (const { body: part } of list)
      if (part.event === 'units') for (const unit of part.names) units[unit] = 'listed'
    const begin = list[0]?.index ?? 0
    for (const { index, body: change } of this.accepted)
      if (index > begin && change.event === 'unit') units[change.name] = change.status
    return units
  }
}

test('any order of messages, joins, leaves, repeats and losses shows what all of it together means [AG-001, AG-003, AG-004, AG-005, AG-018, AG-025, AG-030, AG-034]', () => {
  let complete = 0
  fc.assert(
    fc.property(life, (happenings) => {
      const view = new NodeView(7)
      const entries: Entry[] = []
      let [now, sequence] = [1000, 0]
      for (const happening of happenings) {
        if (happening.kind === 'pass') now += happening.seconds
        if (happening.kind === 'told') sequence = Math.max(1, sequence + happening.step)
        entries.push({ ...happening, at: now, sequence })
        happen(view, happening, sequence, now * 1000)
        const { presence, isFresh, units } = view.see(now * 1000)
        const known =
          units &&
          Object.fromEntries([...units.byKey.values()].map((unit) => [unit.name, unit.runtime_status]))
        assert.deepEqual({ presence, isFresh, units: known }, new Model(entries, now).see())
        if (isFresh) complete += 1
      }
    }),
    { numRuns: 400 },
  )
  // Lives in which nothing ever comes whole would prove little.
  assert.ok(complete > 400, `${complete}`)
})

function happen(view: NodeView, happening: Happening, sequence: number, now: number): void {
  switch (happening.kind) {
    case 'joined':
      return view.joined(new Map(happening.hasAgent ? [[AGENT, {}]] : []), now)
    case 'left':
      return view.left()
    case 'added':
      return view.memberAdded(AGENT, {}, now)
    case 'removed':
      return view.memberRemoved(AGENT)
    case 'told':
      view.receive(happening.userId, messageOf(happening.body, sequence), now)
      return
    case 'pass':
      return
  }
}

function messageOf(said: Body, sequence: number): AgentStateMessage {
  const stamp = { sequence, at: '2026-11-21T10:00:00Z' }
  const unit = (of: string, runtime_status: string) => ({ name: of, runtime: 'systemd', runtime_status })
  const message =
    said.event === 'beat'
      ? readAgentMessage('client-heartbeat', stamp)
      : said.event === 'unit'
        ? readAgentMessage('client-process', { ...stamp, unit: unit(said.name, said.status) })
        : readAgentMessage('client-snapshot', {
            ...stamp,
            docker: 'absent',
            part: said.part,
            parts: said.parts,
            units: said.names.map((of) => unit(of, 'listed')),
          })
  assert.ok(message && message.event !== 'client-log' && message.event !== 'client-log-end')
  return message
}
