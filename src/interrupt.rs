//! The handle that cancels a request.

use std::fmt;
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// Cancels all requests that have a clone of this handle.
///
/// A request reads the handle between two steps. A raised handle ends a search, a wait and a check.
/// A change without a commit record is rolled back. After the commit record, a raised handle only
/// ends the removal of many scratch files. Reading the handle is one atomic load, so every
/// module can use it. The handle is `Send` and `Sync`.
///
/// # Examples
///
/// ```
/// use wpatch::transaction::Interrupt;
///
/// let interrupt = Interrupt::new();
/// // Another thread, or a signal handler, has the clone.
/// interrupt.clone().raise(15);
/// assert_eq!(interrupt.signal(), Some(15));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// The number of the signal, or 0 if the handle is not raised.
    signal: Arc<AtomicUsize>,
    /// The number of the signal of another handle, which raises this one, too.
    parent: Option<Arc<AtomicUsize>>,
    /// Also raises the handle.
    source: Option<SignalSource>,
    /// Runs at the start of each transaction.
    observer: Option<TransactionObserver>,
    /// Raises the handle after a number of reads. Only tests set it.
    trigger: Option<Arc<ReadTrigger>>,
}

/// The maximum number of bytes that are read, written or digested between two reads of a handle. A
/// disk with 40 MB/s transfers them in 0.1 seconds.
pub(crate) const MAX_UNINTERRUPTED_BYTES: usize = 4 << 20;

/// A function that returns the number of a signal when the handle is to be raised.
#[derive(Clone)]
struct SignalSource(Arc<dyn Fn() -> Option<i32> + Send + Sync + UnwindSafe + RefUnwindSafe>);

impl fmt::Debug for SignalSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SignalSource")
    }
}

/// A function that runs before a request writes a file. Until then, a signal ends the program in the
/// middle of any step. A raised handle alone could not change this.
#[derive(Clone)]
struct TransactionObserver(Arc<dyn Fn() + Send + Sync + UnwindSafe + RefUnwindSafe>);

impl fmt::Debug for TransactionObserver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TransactionObserver")
    }
}

/// Raises a handle at a given read, so that a test can cancel a request at every place.
#[derive(Debug)]
struct ReadTrigger {
    signal: i32,
    /// The number of reads before the handle is raised.
    limit: usize,
    reads: AtomicUsize,
}

impl Interrupt {
    /// Returns a handle that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a handle that is never raised, for work that must be completed. All callers share
    /// this handle, so no code may raise it or a clone of it.
    pub(crate) fn never() -> &'static Self {
        static NEVER: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
        &NEVER
    }

    /// Returns a handle that [`Interrupt::raise`] of this one also raises. Raising it does not raise
    /// this one. It has the same observer of transactions, but not the source of this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            parent: Some(Arc::clone(&self.signal)),
            observer: self.observer.clone(),
            ..Self::default()
        }
    }

    /// Returns this handle with `source`. Each read of the handle calls `source` until it returns the
    /// number of a signal, which raises the handle. Several threads can call it at the same time.
    #[must_use]
    pub fn with_source(
        self,
        source: impl Fn() -> Option<i32> + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    ) -> Self {
        Self {
            source: Some(SignalSource(Arc::new(source))),
            ..self
        }
    }

    /// Returns this handle with `observer`, which runs at the start of each transaction, before the
    /// first write. Until then, the caller can end the process at once.
    #[cfg(feature = "cli")]
    pub(crate) fn with_transaction_observer(
        self,
        observer: impl Fn() + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    ) -> Self {
        Self {
            observer: Some(TransactionObserver(Arc::new(observer))),
            ..self
        }
    }

    /// Runs the observer. Every function that writes files must call this before its first write.
    pub(crate) fn notify_transaction_start(&self) {
        if let Some(TransactionObserver(observer)) = &self.observer {
            observer();
        }
    }

    /// Returns a handle that is raised with `signal` after `limit` reads.
    #[doc(hidden)]
    #[must_use]
    pub fn with_read_limit(limit: usize, signal: i32) -> Self {
        let trigger = ReadTrigger {
            signal,
            limit,
            reads: AtomicUsize::new(0),
        };
        Self {
            trigger: Some(Arc::new(trigger)),
            ..Self::default()
        }
    }

    /// Returns the items that precede the cancellation. The handle is read once per 4096 items. The
    /// caller must read it again before it uses a result of the items, which can be incomplete.
    pub(crate) fn take_until_raised<I: Iterator>(
        &self,
        items: I,
    ) -> impl Iterator<Item = I::Item> + use<'_, I> {
        items
            .enumerate()
            .take_while(|(number, _)| number % 4096 > 0 || !self.is_raised())
            .map(|(_, item)| item)
    }

    /// Returns an error if the requests are cancelled.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::Interrupted`].
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.is_raised() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }

    /// Returns the parts of `bytes` between which the handle is read.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Interrupt::check`] instead of a part.
    pub(crate) fn parts<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = io::Result<&'b [u8]>> {
        let parts = bytes.chunks(MAX_UNINTERRUPTED_BYTES);
        parts.map(|part| self.check().map(|()| part))
    }

    /// Returns the number of reads so far of a handle from [`Interrupt::with_read_limit`].
    #[doc(hidden)]
    #[must_use]
    pub fn reads(&self) -> usize {
        self.trigger
            .as_ref()
            .map_or(0, |trigger| trigger.reads.load(Ordering::Relaxed))
    }

    /// Cancels the requests. `signal` is the number of the signal, which must be positive.
    pub fn raise(&self, signal: i32) {
        self.signal.store(
            usize::try_from(signal).unwrap_or_default(),
            Ordering::Relaxed,
        );
    }

    /// Returns the signal that cancelled the requests, or `None` if they are not cancelled.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        if let Some(trigger) = &self.trigger
            && trigger.reads.fetch_add(1, Ordering::Relaxed) >= trigger.limit
        {
            self.raise(trigger.signal);
        }
        if let Some(SignalSource(source)) = &self.source
            && self.signal.load(Ordering::Relaxed) == 0
            && let Some(signal) = source()
        {
            self.raise(signal);
        }
        let number = |flag: &Arc<AtomicUsize>| {
            i32::try_from(flag.load(Ordering::Relaxed))
                .ok()
                .filter(|&signal| signal != 0)
        };
        number(&self.signal).or_else(|| self.parent.as_ref().and_then(number))
    }

    /// Returns whether the requests are cancelled.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.signal().is_some()
    }

    /// Returns the flag that holds the number of the signal, or 0. A signal handler can store into
    /// it directly, because an atomic store is async-signal-safe (signal-safety(7)).
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }
}
