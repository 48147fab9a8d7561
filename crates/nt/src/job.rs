//! Job objects, and calls about child processes and their pipes.

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_BROKEN_PIPE, NTSTATUS};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;

use crate::buffer::size_in_u32;
use crate::error::{Status, check_win32};

// Used by debuggers for decades, but not documented. The documented way lists all threads of the
// system and guesses which one is suspended.
#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtResumeProcess(process: RawHandle) -> NTSTATUS;
}

/// A group of processes that end together. Dropping it kills all of them.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// Creates a job without processes.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn new() -> io::Result<Self> {
        // SAFETY: both arguments are optional.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        check_win32(i32::from(!job.is_null()))?;
        // SAFETY: the successful call returned a new handle that nothing else owns.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(job) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: `limits` has the type that belongs to the class, and the stated size.
        check_win32(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_in_u32(&limits),
            )
        })?;
        Ok(job)
    }

    /// Adds a process. Processes that it creates later belong to the job too.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, `ERROR_ACCESS_DENIED` (5) for a process that has ended.
    pub fn assign(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        // SAFETY: the function has no preconditions except valid handles.
        check_win32(unsafe {
            AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle())
        })
    }

    /// Kills all processes of the job. Their exit code is `code`.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn terminate(&self, code: u32) -> io::Result<()> {
        // SAFETY: the function has no preconditions except a valid handle.
        check_win32(unsafe { TerminateJobObject(self.0.as_raw_handle(), code) })
    }

    /// Returns the number of processes that have not ended.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn active_processes(&self) -> io::Result<u32> {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: `found` has the type that belongs to the class, and the stated size.
        check_win32(unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut found).cast(),
                size_in_u32(&found),
                ptr::null_mut(),
            )
        })?;
        Ok(found.ActiveProcesses)
    }
}

/// Starts the threads of a process that was created suspended.
///
/// # Errors
///
/// Returns the error of the system.
pub fn resume(process: BorrowedHandle<'_>) -> io::Result<()> {
    // SAFETY: the function has no preconditions except a valid handle.
    Ok(Status::check(unsafe {
        NtResumeProcess(process.as_raw_handle())
    })?)
}

/// Sends Ctrl-Break to a process group: the ID of its first process, which was created with
/// `CREATE_NEW_PROCESS_GROUP`.
///
/// # Errors
///
/// Returns the error of the system, for example if this process has no console, or another one than
/// the group.
pub fn send_break(group: u32) -> io::Result<()> {
    // SAFETY: the function has no preconditions.
    check_win32(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// Returns the number of bytes that can be read from a pipe without waiting. Returns `None` at its
/// end.
///
/// # Errors
///
/// Returns the error of the system.
pub fn available_bytes(pipe: BorrowedHandle<'_>) -> io::Result<Option<usize>> {
    let mut count = 0;
    // SAFETY: the call copies no bytes, and `count` is a place for the number.
    let result = unsafe {
        PeekNamedPipe(
            pipe.as_raw_handle(),
            ptr::null_mut(),
            0,
            ptr::null_mut(),
            &raw mut count,
            ptr::null_mut(),
        )
    };
    match check_win32(result) {
        Err(error) if error.raw_os_error() == Some(ERROR_BROKEN_PIPE.cast_signed()) => Ok(None),
        result => result.map(|()| Some(count as usize)),
    }
}
