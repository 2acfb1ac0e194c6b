// Imported by the servers of these benchmarks: they end with whoever started them, and SIGUSR2 collects garbage and reports the
// KiB that live, so that what remains is what the connections need, and not when a collector last ran.
process.stdin.on('end', () => process.exit())
process.stdin.resume()
process.on('SIGUSR2', () => {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  console.log(Math.round((heapUsed + external) / 1024))
})
