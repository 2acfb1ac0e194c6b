// The thread of checkpoints.ts: one checkpoint and one answer for each message.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const database = new DatabaseSync(workerData as string) // as: checkpoints.ts gives the path of the file.

parentPort?.on('message', () => {
  try {
    // Passive: nobody waits for it, neither readers nor the writer.
    database.exec('pragma wal_checkpoint(passive)')
  } catch {
    // The log still holds everything, and the next checkpoint begins anew.
  }
  parentPort?.postMessage('done')
})
