"""Offline jobs: work on the lake that a person submits or the schedule starts.

To add one: write ``jobs/NAME.py`` with ::

    async def run(task: Task) -> Report:
        require_none(task.arguments)                # or argparse through jobs.arguments.parsed
        for done, part in enumerate(parts):
            ...                                     # await task.shards.call(ShardService.…, user, …): the shards write, never the job
            task.say("a line of the log")
            task.progress(done, len(parts), "users")
        return Report(columns=["what", "count"], rows=[["users", 3]])

and one entry in ``schemas.job.JOBS`` (module, a line in both languages, a cron expression where it runs by itself). The frame does the
rest: arguments, log, progress, final table, exit status, one at a time, the record that outlives the cluster, ``laoma job …``,
``/v1/jobs``, ``/v1/schedule``.

What a job owes: it is idempotent and, killed at any point (kill -9), gives on resubmission what an undisturbed run gives; whatever it
changes much at once it takes a snapshot before (``task.snapshot("import")``); log and report hold counts and ids, never what a person
said and no user's name, because an erasure does not look into them. A LaomaError ends it with one clear line. Blocking work belongs into
``asyncio.to_thread``, work for several cores into Ray tasks (``jobs.parallel.spread``).
"""
