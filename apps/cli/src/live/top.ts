import { randomBytes } from 'node:crypto'
import type { Context } from '#/context.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { cut, widthOf } from '#/print/text.ts'
import type { Terminal } from '#/terminal.ts'
import { asClientError, linkOf } from './gateway-link.ts'
import { type Screen, takeScreen } from './screen.ts'
import { timeLimit } from './time-limit.ts'
import { headLine, tableOf, TOP_VIEWS, type TopView } from './top-picture.ts'
import { pictureData, printPicture } from './top-print.ts'
import { NodeWatch } from './watch-nodes.ts'

/** `fleet top`: Nodes, Processes, units and workspaces as they change; one snapshot without a terminal. */
export const runTop: LocalRun = async (context, invocation) => {
  const { clock, terminal } = context
  const link = await linkOf(context, invocation)
  const stop = new AbortController()
  using limit = timeLimit(context, invocation)
  const signal = AbortSignal.any([limit.signal, stop.signal])
  const display = new Display()
  const watch = new NodeWatch(link, {
    clock,
    signal,
    chance: randomBytes,
    changed: () => display.wake(),
  })
  try {
    const connection = await watch.join().catch((error: unknown) => {
      throw asClientError(error)
    })
    if (invocation.globals.json || !canDraw(terminal)) {
      using _only = connection
      await settled(watch, context, signal)
      if (invocation.globals.json)
        terminal.out(`${JSON.stringify(pictureData(watch.seen(), clock.ticks()))}\n`)
      else await printPicture(watch.seen(), { name: link.name, ticks: clock.ticks(), terminal })
      return
    }
    const kept = watch.keep(connection)
    await display.show(context, { watch, name: link.name, signal, quit: () => stop.abort() })
    stop.abort()
    await kept
  } finally {
    stop.abort()
  }
}

/** One picture over the other needs a terminal that can move its cursor, and keys to end it. */
const canDraw = ({ outIsTerminal, inIsTerminal, isDumb }: Terminal): boolean =>
  outIsTerminal && inIsTerminal && !isDumb

const SETTLE_MILLISECONDS = 10_000

/** Agents that are online send everything to a member that joins, and the gateway asks Nodes about Processes: so long at the most. */
async function settled(watch: NodeWatch, { clock }: Context, signal: AbortSignal): Promise<void> {
  const end = clock.ticks() + SETTLE_MILLISECONDS
  while (watch.isAwaited && clock.ticks() < end && !signal.aborted) await clock.sleep(50, signal)
}

interface Shown {
  readonly watch: NodeWatch
  readonly name: string
  readonly signal: AbortSignal
  readonly quit: () => void
}

/** At most ten pictures a second, and one each second for the times in it. */
const REST_MILLISECONDS = 100
const IDLE_MILLISECONDS = 1000

class Display {
  #view: TopView = 'nodes'
  #top = 0
  #woken = new AbortController()

  wake(): void {
    this.#woken.abort()
  }

  async show({ clock, terminal }: Context, { watch, name, signal, quit }: Shown): Promise<void> {
    using screen = takeScreen({ onKey: (key) => this.#press(key, quit), onChange: () => this.wake() })
    while (!signal.aborted) {
      const ticks = clock.ticks()
      const seen = watch.seen()
      const table = await tableOf(this.#view, seen, {
        ticks,
        columns: screen.columns,
        colors: terminal.outColors,
      })
      const head = headLine(seen, { name, ticks })
      screen.draw(await this.#lines(screen, head, table))
      await clock.sleep(REST_MILLISECONDS, signal)
      await clock.sleep(IDLE_MILLISECONDS - REST_MILLISECONDS, AbortSignal.any([signal, this.#woken.signal]))
      this.#woken = new AbortController()
    }
  }

  async #lines(
    { rows, columns }: Screen,
    head: string,
    [heading = '', ...body]: readonly string[],
  ): Promise<readonly string[]> {
    const room = Math.max(1, rows - 4)
    this.#top = Math.max(0, Math.min(this.#top, body.length - room))
    const page = body.slice(this.#top, this.#top + room)
    const hidden = body.length - page.length
    const more = hidden > 0 ? `  ${this.#top + 1} to ${this.#top + page.length} of ${body.length}, ↑↓` : ''
    const views = TOP_VIEWS.map((view) => (view === this.#view ? `[${view}]` : ` ${view} `)).join(' ')
    const foot = `${views}  tab: next  q: quit${more}`
    const width = await widthOf([head, foot])
    const filler = Array.from({ length: room - page.length }, () => '')
    return [cut(head, columns, width), '', heading, ...page, ...filler, cut(foot, columns, width)]
  }

  #press(key: string, quit: () => void): void {
    if (key === 'q' || key === 'ctrl-c') quit()
    const view = TOP_VIEWS.find((one) => one.startsWith(key)) ?? (key === 'tab' ? this.#next() : undefined)
    if (view) [this.#view, this.#top] = [view, 0]
    this.#top += { up: -1, k: -1, down: 1, j: 1, 'page-up': -10, 'page-down': 10 }[key] ?? 0
    if (key === 'home') this.#top = 0
    this.wake()
  }

  #next(): TopView {
    return TOP_VIEWS[(TOP_VIEWS.indexOf(this.#view) + 1) % TOP_VIEWS.length] ?? 'nodes'
  }
}
