// Reads the files of one project and answers once.
import { parentPort, workerData } from 'node:worker_threads'
import { readDependencies, type SourceFiles } from '@fleet/lockfiles'

parentPort?.postMessage(readDependencies(workerData as SourceFiles)) // The thread is started with these alone.
