"""All benchmarks. They print ratios against a peer in the same run; nothing here is a test."""

from benchmarks import checking, deploying, lifecycle, rendering, startup

startup.main()
checking.main()
rendering.main()
lifecycle.main()
deploying.main()
