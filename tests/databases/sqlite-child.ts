// Answers envelopes, one a line, in a process of its own: the limits of SQLite hold for a whole process.
import { createInterface } from 'node:readline'
import { answerTo } from '@fleet/database-access/sqlite-program'

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${answerTo(line)}\n`)
