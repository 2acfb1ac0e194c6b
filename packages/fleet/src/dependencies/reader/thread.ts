// Reads the files of one project after the other, and ends when nobody has sent any for a while.
import { parentPort } from 'node:worker_threads'
import { systemClock, type Timer } from '@fleet/kernel'
import { readDependencies, type SourceFiles } from '@fleet/lockfiles'

/** Longer than a thread is used again, so that none ends with a project on its way to it. */
const IDLE_MILLISECONDS = 40_000

let idle: Timer | undefined
parentPort?.on('message', (files: SourceFiles) => {
  idle?.[Symbol.dispose]()
  parentPort?.postMessage(readDependencies(files))
  idle = systemClock.timer(IDLE_MILLISECONDS)
  void idle.over.then(() => parentPort?.close())
})
