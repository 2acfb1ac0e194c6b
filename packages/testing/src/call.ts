import { type Call, CallLocks, type Caller } from '@fleet/fleet'
import { Deadline, systemClock } from '@fleet/kernel'

/** A call whose Activity notes can be read back. */
export interface FakeCall extends Call {
  readonly notes: {
    target?: number | null
    subject?: string
    properties: Record<string, unknown>
    exitCode?: number
  }
  readonly logged: string[]
  /** Of a call that succeeds. */
  readonly events: Array<{ readonly type: string; readonly data: unknown }>
  /** What subscribers have whatever becomes of the call. */
  readonly published: Array<{ readonly type: string; readonly data: unknown }>
  /** `step status`, in order. */
  readonly steps: string[]
}

const gatewayCaller: Caller = { id: 1, name: 'gateway', address: '127.0.0.1', isGateway: true }

export function fakeCall(
  given: Partial<Omit<Call, 'note' | 'log' | 'event' | 'publish' | 'progress'>> = {},
): FakeCall {
  const notes: FakeCall['notes'] = { properties: {} }
  const logged: string[] = []
  const events: FakeCall['events'] = []
  const published: FakeCall['published'] = []
  const steps: string[] = []
  return {
    requestId: crypto.randomUUID(),
    operation: 'test:operation',
    caller: gatewayCaller,
    deadline: new Deadline(systemClock, 570, 20),
    signal: new AbortController().signal,
    locks: new CallLocks((violation) => {
      throw violation
    }),
    emit: async () => {},
    ...given,
    notes,
    logged,
    events,
    published,
    steps,
    note: {
      target: (nodeId) => void (notes.target = nodeId),
      subject: (type, id) => void (notes.subject = `${type}:${id}`),
      property: (name, value) => void (notes.properties[name] = value),
      exitCode: (code) => void (notes.exitCode = code),
    },
    event: (type, data) => void events.push({ type, data }),
    publish: async (type, data) => {
      events.push({ type, data })
      published.push({ type, data })
    },
    progress: ({ step, status }) => void steps.push(`${step} ${status}`),
    log: (message) => void logged.push(message),
  }
}
