/** What a server has done since it started. */
export interface Counters {
  /** Connections opened, and those of them that the protocol took. */
  opened: number
  received: number
  sent: number
  /** Clients that did not read what they were sent. */
  dropped: number
  apiRequests: number
  apiRefusals: number
}

export const newCounters = (): Counters => ({
  opened: 0,
  received: 0,
  sent: 0,
  dropped: 0,
  apiRequests: 0,
  apiRefusals: 0,
})

const HELP: Readonly<Record<keyof Counters, string>> = {
  opened: 'Connections opened.',
  received: 'Messages received from clients.',
  sent: 'Messages sent to clients.',
  dropped: 'Clients dropped because they did not read.',
  apiRequests: 'Requests of the HTTP API.',
  apiRefusals: 'Requests of the HTTP API that were refused.',
}

/** The counters and current values, in the text format of Prometheus. */
export function metricsText(counters: Counters, standing: Readonly<Record<string, number>>): string {
  const lines = Object.entries(HELP).flatMap(([name, help]) => {
    const metric = `fleet_websocket_${snake(name)}_total`
    const value = counters[name as keyof Counters] // The names of HELP are those of Counters.
    return [`# HELP ${metric} ${help}`, `# TYPE ${metric} counter`, `${metric} ${value}`]
  })
  const gauges = Object.entries(standing).flatMap(([name, value]) => {
    const metric = `fleet_websocket_${name}`
    return [`# TYPE ${metric} gauge`, `${metric} ${value}`]
  })
  return `${[...lines, ...gauges].join('\n')}\n`
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
