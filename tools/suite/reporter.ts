import { relative } from 'node:path'
import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { frame, type Line } from './line.ts'
import { spent } from './spent.ts'
import { strays } from './strays.ts'

/** Full names of the tests met so far, by id: a test inside another carries the name of both. */
type Names = Map<number, string>

// node:test loads a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const names: Names = new Map()
  let open = 0
  let waiting: NodeJS.Timeout | undefined
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file === undefined) yield frame(spentOf())
    const line = lineOf(event, names)
    if (line) yield frame(line)
    if (event.type === 'test:enqueue') {
      open += 1
      clearTimeout(waiting)
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    open -= 1
    // The runner's own end waits for whatever a test left open, so this is distinguished from it.
    if (open > 0) continue
    yield frame({ kind: 'idle' })
    waiting = setTimeout(tellWhatIsOpen, OPEN_MILLISECONDS).unref()
  }
}

/** Half of what the parent gives a process to end by itself after its last test. */
const OPEN_MILLISECONDS = Number(process.env['FLEET_TEST_LEAVE_SECONDS'] ?? 30) * 500

const tellWhatIsOpen = (): void =>
  void process.stderr.write(
    `open: ${process.getActiveResourcesInfo().join(', ')}\n${frame({ kind: 'idle' })}`,
  )

function lineOf(event: TestEvent, names: Names): Line | undefined {
  switch (event.type) {
    case 'test:enqueue':
      names.set(event.data.testId, fullName(event.data, names))
      return undefined
    case 'test:dequeue':
      return { kind: 'start', name: nameOf(event.data, names) }
    case 'test:pass':
      return passed(event.data, nameOf(event.data, names))
    case 'test:fail':
      return failed(event.data, nameOf(event.data, names))
    case 'test:diagnostic':
      return leftBehind(event.data.message)
    case 'test:summary':
      return event.data.file === undefined ? { kind: 'end' } : undefined
    default:
      return undefined
  }
}

interface Named {
  readonly name: string
  readonly testId: number
  readonly parentId: number | undefined
}

const nameOf = (test: Named, names: Names): string => names.get(test.testId) ?? fullName(test, names)

function fullName({ name, parentId }: Named, names: Names): string {
  const parent = parentId === undefined ? undefined : names.get(parentId)
  return parent === undefined ? name : `${parent} › ${name}`
}

function passed({ skip, todo, details }: EventData.TestPass, name: string): Line | undefined {
  if (skip !== undefined && skip !== false)
    return { kind: 'skip', name, reason: reasonOf(skip, 'no reason given') }
  if (todo !== undefined && todo !== false)
    return { kind: 'skip', name, reason: reasonOf(todo, 'still to be written') }
  if (details.type === 'suite') return undefined
  return { kind: 'pass', name, milliseconds: details.duration_ms }
}

const reasonOf = (given: string | boolean, otherwise: string): string =>
  typeof given === 'string' && given !== '' ? given : otherwise

function failed({ details, file, line }: EventData.TestFail, name: string): Line | undefined {
  const inner = 'failureType' in details.error && details.error.failureType === 'subtestsFailed'
  if (inner && details.type === 'suite') return undefined
  const place = file === undefined ? '' : `${placed(file)}:${line ?? 1}`
  const error = inspect(details.error.cause ?? details.error, { depth: 6 })
  return { kind: 'fail', name, place, error: inner ? undefined : error }
}

const placed = (file: string): string => relative(process.cwd(), file)

const spentOf = (): Line => ({
  kind: 'spent',
  files: Object.fromEntries([...spent.files].map(([file, seconds]) => [placed(file), seconds])),
})

// An error that nobody caught fails no test of node:test and would be lost among the diagnostics.
function leftBehind(message: string): Line | undefined {
  if (!message.includes('asynchronous activity after the test ended')) return undefined
  const { test, error = message } = strays.take() ?? {}
  const during = test === undefined ? '' : `, when the last to begin was: ${test}`
  return { kind: 'fail', name: `an error that nobody caught${during}`, place: '', error }
}
