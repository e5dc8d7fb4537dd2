! SPDX-License-Identifier: BSD-3-Clause
!
! The module pmu: pmu.h for Fortran 2008 and later.
!
!     use pmu
!     call pmu_region_begin("solve")
!     ...
!     call pmu_region_end("solve")
!
! The calls and what they do are pmu.h's.  Blanks at the end of a text do not count, nor does a
! terminator for C behind it; leading blanks do.  Every ierr is optional and gets 0 or a negative
! errno, which pmu_strerror(ierr) and pmu_last_error() describe.  The module has no state of its
! own: use it from any thread.
!
! A .mod file suits one compiler (and often one version of it): where yours is not the one that
! the installed module was made with, compile this file with yours.

module pmu
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_int32_t, &
        c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t, c_sizeof
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    private

    public :: pmu_init, pmu_fini, pmu_thread_attach
    public :: pmu_region_begin, pmu_region_end, pmu_region_read, pmu_region_reset
    public :: pmu_context_get, pmu_context_enter, pmu_context_leave
    public :: pmu_group_next, pmu_count_name, pmu_note, pmu_report, pmu_report_text
    public :: pmu_counters_open, pmu_counters_start, pmu_counters_stop, pmu_counters_read, &
        pmu_counters_reset, pmu_counters_close
    public :: pmu_last_error, pmu_strerror, pmu_version

    integer, parameter, public :: pmu_name_max = 1023
    integer, parameter, public :: pmu_max_counts = 16
    integer, parameter, public :: pmu_text_max = 512
    integer, parameter, public :: pmu_thread_self = -1
    integer, parameter, public :: pmu_scope_thread = 0
    integer, parameter, public :: pmu_scope_cpu = 1

    ! What a region did.  count(i) is called pmu_count_name(i); where missing(i) is true it is not 0
    ! but unknown.  The net ones are without what the library itself did, as reports have them.
    type, public :: pmu_region_counts
        integer(int64) :: calls = 0
        integer(int64) :: time_ns = 0 ! inclusive of nested regions
        integer :: n_counts = 0
        logical :: missing(pmu_max_counts) = .true.
        integer(int64) :: count(pmu_max_counts) = 0
        integer(int64) :: net_time_ns = 0
        integer(int64) :: net(pmu_max_counts) = 0
    end type

    ! Counters without regions: from pmu_counters_open, for pmu_counters_close.
    type, public :: pmu_counters
        private
        type(c_ptr) :: set = c_null_ptr
    end type

    ! struct pmu_options and struct pmu_region_counts of pmu.h
    type, bind(c) :: c_options
        integer(c_size_t) :: size
        type(c_ptr) :: text(7)
    end type

    type, bind(c) :: c_counts
        integer(c_size_t) :: size
        integer(c_int64_t) :: calls, time_ns
        integer(c_int32_t) :: n_counts, missing
        integer(c_int64_t) :: count(pmu_max_counts)
        integer(c_int64_t) :: net_time_ns, net(pmu_max_counts)
    end type

    type :: terminated
        character(kind=c_char), allocatable :: text(:)
    end type

    interface
        integer(c_int) function c_init(options) bind(c, name="pmu_init")
            import :: c_int, c_options
            type(c_options), intent(in) :: options
        end function
        integer(c_int) function c_fini() bind(c, name="pmu_fini")
            import :: c_int
        end function
        integer(c_int) function c_attach() bind(c, name="pmu_thread_attach")
            import :: c_int
        end function
        integer(c_int) function c_begin(name, len) bind(c, name="pmu_region_begin_n")
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: len
        end function
        integer(c_int) function c_end(name, len) bind(c, name="pmu_region_end_n")
            import :: c_char, c_int, c_size_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: len
        end function
        integer(c_int) function c_read(name, thread, counts) bind(c, name="pmu_region_read")
            import :: c_char, c_counts, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: thread
            type(c_counts), intent(inout) :: counts
        end function
        integer(c_int) function c_reset(name) bind(c, name="pmu_region_reset")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
        end function
        integer(c_int64_t) function c_context_get() bind(c, name="pmu_context_get")
            import :: c_int64_t
        end function
        integer(c_int) function c_context_enter(context) bind(c, name="pmu_context_enter")
            import :: c_int, c_int64_t
            integer(c_int64_t), value :: context
        end function
        integer(c_int) function c_context_leave() bind(c, name="pmu_context_leave")
            import :: c_int
        end function
        integer(c_int) function c_group_next() bind(c, name="pmu_group_next")
            import :: c_int
        end function
        type(c_ptr) function c_count_name(slot) bind(c, name="pmu_count_name")
            import :: c_int, c_ptr
            integer(c_int), value :: slot
        end function
        integer(c_int) function c_note(text) bind(c, name="pmu_note")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: text(*)
        end function
        integer(c_int) function c_report(path) bind(c, name="pmu_report")
            import :: c_int, c_ptr
            type(c_ptr), value :: path
        end function
        integer(c_int) function c_report_text(format, text) bind(c, name="pmu_report_text")
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: format(*)
            type(c_ptr), intent(out) :: text
        end function
        integer(c_int) function c_open(events, scope, set) bind(c, name="pmu_counters_open")
            import :: c_char, c_int, c_ptr
            character(kind=c_char), intent(in) :: events(*)
            integer(c_int), value :: scope
            type(c_ptr), intent(inout) :: set
        end function
        integer(c_int) function c_start(set) bind(c, name="pmu_counters_start")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
        end function
        integer(c_int) function c_stop(set) bind(c, name="pmu_counters_stop")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
        end function
        integer(c_int) function c_counters_read(set, value, n_values, missing) &
            bind(c, name="pmu_counters_read")
            import :: c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
            type(c_ptr), value :: set
            integer(c_int64_t), intent(inout) :: value(*)
            integer(c_size_t), value :: n_values
            integer(c_int32_t), intent(out) :: missing
        end function
        integer(c_int) function c_counters_reset(set) bind(c, name="pmu_counters_reset")
            import :: c_int, c_ptr
            type(c_ptr), value :: set
        end function
        subroutine c_close(set) bind(c, name="pmu_counters_close")
            import :: c_ptr
            type(c_ptr), value :: set
        end subroutine
        type(c_ptr) function c_last_error() bind(c, name="pmu_last_error")
            import :: c_ptr
        end function
        type(c_ptr) function c_strerror(code) bind(c, name="pmu_strerror")
            import :: c_int, c_ptr
            integer(c_int), value :: code
        end function
        integer(c_int) function c_version() bind(c, name="pmu_version")
            import :: c_int
        end function
        integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
        end function
        subroutine c_free(text) bind(c, name="free")
            import :: c_ptr
            type(c_ptr), value :: text
        end subroutine
    end interface

contains

    ! --- regions ---

    ! Without blanks at the end, or a terminator for C.
    pure integer(c_size_t) function text_len(text) result(n)
        character(len=*), intent(in) :: text

        n = len_trim(text)
        if (n > 0) then
            if (text(n:n) == c_null_char) n = n - 1
        end if
    end function

    ! Enter a region on the calling thread; nothing is copied on the way.
    subroutine pmu_region_begin(name, ierr)
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_begin(name, text_len(name))
        if (present(ierr)) ierr = rc
    end subroutine

    ! Leave it.
    subroutine pmu_region_end(name, ierr)
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_end(name, text_len(name))
        if (present(ierr)) ierr = rc
    end subroutine

    ! What a region has done so far: on the calling thread, by its name; with a thread's number by its
    ! path.  A region never entered has no calls, and ierr is -ENOENT.
    subroutine pmu_region_read(name, counts, thread, ierr)
        character(len=*), intent(in) :: name
        type(pmu_region_counts), intent(out) :: counts
        integer, intent(in), optional :: thread
        integer, intent(out), optional :: ierr
        type(c_counts) :: plain
        integer(c_int) :: rc, of
        integer :: i

        of = pmu_thread_self
        if (present(thread)) of = int(thread, c_int)
        plain%size = c_sizeof(plain)
        rc = c_read(terminate(name), of, plain)
        if (present(ierr)) ierr = rc
        if (rc < 0) return
        counts%calls = plain%calls
        counts%time_ns = plain%time_ns
        counts%net_time_ns = plain%net_time_ns
        counts%n_counts = min(int(plain%n_counts), pmu_max_counts)
        do i = 1, counts%n_counts
            counts%missing(i) = btest(plain%missing, i - 1)
            if (counts%missing(i)) cycle
            counts%count(i) = plain%count(i)
            counts%net(i) = plain%net(i)
        end do
    end subroutine

    ! Forget what a region has done on the calling thread.
    subroutine pmu_region_reset(name, ierr)
        character(len=*), intent(in) :: name
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_reset(terminate(name))
        if (present(ierr)) ierr = rc
    end subroutine

    ! --- work on other threads ---

    ! What the calling thread has open, for work that another one will do for it; 0: nothing.
    function pmu_context_get() result(context)
        integer(int64) :: context

        context = c_context_get()
    end function

    ! What the calling thread does from now on is done for that region.
    subroutine pmu_context_enter(context, ierr)
        integer(int64), intent(in) :: context
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_context_enter(context)
        if (present(ierr)) ierr = rc
    end subroutine

    ! The work is done.
    subroutine pmu_context_leave(ierr)
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_context_leave()
        if (present(ierr)) ierr = rc
    end subroutine

    ! --- the session ---

    ! Start measuring now rather than at the first begin.  Each text is that of the environment
    ! variable: group is PMU_GROUP.  pmu_init(group="CORE", pin="none", ierr=rc)
    subroutine pmu_init(enable, group, events, backend, count, pin, output, ierr)
        character(len=*), intent(in), optional :: enable, group, events, backend, count, pin, output
        integer, intent(out), optional :: ierr
        type(terminated), target :: kept(7)
        type(c_options) :: options
        integer(c_int) :: rc

        options%size = c_sizeof(options)
        options%text(1) = address(enable, kept(1))
        options%text(2) = address(group, kept(2))
        options%text(3) = address(events, kept(3))
        options%text(4) = address(backend, kept(4))
        options%text(5) = address(count, kept(5))
        options%text(6) = address(pin, kept(6))
        options%text(7) = address(output, kept(7))
        rc = c_init(options)
        if (present(ierr)) ierr = rc
    end subroutine

    ! Write the reports and stop measuring; the end of the program does it too.
    subroutine pmu_fini(ierr)
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_fini()
        if (present(ierr)) ierr = rc
    end subroutine

    ! Pin the calling thread and open its counters now rather than at its first begin.
    subroutine pmu_thread_attach(ierr)
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_attach()
        if (present(ierr)) ierr = rc
    end subroutine

    ! Count the next group of PMU_GROUP from now on.
    subroutine pmu_group_next(ierr)
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_group_next()
        if (present(ierr)) ierr = rc
    end subroutine

    ! What count(slot) is, from 1; blank for a slot that does not exist.
    function pmu_count_name(slot) result(name)
        integer, intent(in) :: slot
        character(len=pmu_text_max) :: name

        call copy_text(c_count_name(int(slot, c_int) - 1), name)
    end function

    ! --- reports ---

    ! A line for the report's head.
    subroutine pmu_note(text, ierr)
        character(len=*), intent(in) :: text
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_note(terminate(text))
        if (present(ierr)) ierr = rc
    end subroutine

    ! Write a report now: .json, .csv or text by the ending of path, "-" is standard output; without
    ! a path the text goes to standard error.
    subroutine pmu_report(path, ierr)
        character(len=*), intent(in), optional :: path
        integer, intent(out), optional :: ierr
        type(terminated), target :: kept
        integer(c_int) :: rc

        rc = c_report(address(path, kept))
        if (present(ierr)) ierr = rc
    end subroutine

    ! The same as a text; format is "json", "csv" or "text".
    subroutine pmu_report_text(format, text, ierr)
        character(len=*), intent(in) :: format
        character(len=:), allocatable, intent(out) :: text
        integer, intent(out), optional :: ierr
        type(c_ptr) :: made
        integer(c_int) :: rc

        made = c_null_ptr
        rc = c_report_text(terminate(format), made)
        if (present(ierr)) ierr = rc
        if (rc < 0) then
            text = ""
            return
        end if
        allocate (character(len=c_strlen(made)) :: text)
        call copy_text(made, text)
        call c_free(made)
    end subroutine

    ! --- counters without regions ---

    ! Stopped, at zero.
    subroutine pmu_counters_open(counters, events, scope, ierr)
        type(pmu_counters), intent(out) :: counters
        character(len=*), intent(in) :: events
        integer, intent(in), optional :: scope
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc, whose

        whose = pmu_scope_thread
        if (present(scope)) whose = int(scope, c_int)
        rc = c_open(terminate(events), whose, counters%set)
        if (rc < 0) counters%set = c_null_ptr
        if (present(ierr)) ierr = rc
    end subroutine

    subroutine pmu_counters_start(counters, ierr)
        type(pmu_counters), intent(in) :: counters
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_start(counters%set)
        if (present(ierr)) ierr = rc
    end subroutine

    subroutine pmu_counters_stop(counters, ierr)
        type(pmu_counters), intent(in) :: counters
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_stop(counters%set)
        if (present(ierr)) ierr = rc
    end subroutine

    ! One element for each event, in their order; missing(i) is true for one that could not be read,
    ! and for elements beyond them.
    subroutine pmu_counters_read(counters, value, missing, ierr)
        type(pmu_counters), intent(in) :: counters
        integer(int64), intent(inout), contiguous :: value(:)
        logical, intent(out), optional :: missing(:)
        integer, intent(out), optional :: ierr
        integer(c_int32_t) :: bits
        integer(c_int) :: rc
        integer :: i

        bits = 0
        rc = c_counters_read(counters%set, value, size(value, kind=c_size_t), bits)
        if (present(ierr)) ierr = min(rc, 0)
        if (.not. present(missing)) return
        missing = .true.
        do i = 1, min(int(rc), size(missing))
            missing(i) = btest(bits, i - 1)
        end do
    end subroutine

    subroutine pmu_counters_reset(counters, ierr)
        type(pmu_counters), intent(in) :: counters
        integer, intent(out), optional :: ierr
        integer(c_int) :: rc

        rc = c_counters_reset(counters%set)
        if (present(ierr)) ierr = rc
    end subroutine

    subroutine pmu_counters_close(counters)
        type(pmu_counters), intent(inout) :: counters

        call c_close(counters%set)
        counters%set = c_null_ptr
    end subroutine

    ! --- words: of a fixed length, with blanks behind them, because gfortran's code for the call of a
    ! function with a result of variable length is not safe in threads ---

    ! One sentence on the calling thread's last error.
    function pmu_last_error() result(text)
        character(len=pmu_text_max) :: text

        call copy_text(c_last_error(), text)
    end function

    function pmu_strerror(code) result(text)
        integer, intent(in) :: code
        character(len=pmu_text_max) :: text

        call copy_text(c_strerror(int(code, c_int)), text)
    end function

    ! 65536 * major + 256 * minor + patch, of the library that is loaded
    integer function pmu_version() result(version)
        version = c_version()
    end function

    ! --- texts from here to C and back ---

    pure function terminate(text) result(c)
        character(len=*), intent(in) :: text
        character(len=text_len(text) + 1, kind=c_char) :: c

        c = text(:text_len(text)) // c_null_char
    end function

    ! Null for what is not there; kept outlives the call.
    function address(text, kept) result(at)
        character(len=*), intent(in), optional :: text
        type(terminated), intent(inout), target :: kept
        type(c_ptr) :: at
        integer(c_size_t) :: i, n

        at = c_null_ptr
        if (.not. present(text)) return
        n = text_len(text)
        allocate (kept%text(n + 1))
        do i = 1, n
            kept%text(i) = text(i:i)
        end do
        kept%text(n + 1) = c_null_char
        at = c_loc(kept%text)
    end function

    ! Cut where there is no more room, blanks where there is.
    subroutine copy_text(from, text)
        type(c_ptr), intent(in) :: from
        character(len=*), intent(out) :: text
        character(kind=c_char), pointer :: c(:)
        integer(c_size_t) :: i, n

        text = ""
        if (.not. c_associated(from)) return
        n = min(c_strlen(from), len(text, kind=c_size_t))
        call c_f_pointer(from, c, [n])
        do i = 1, n
            text(i:i) = c(i)
        end do
    end subroutine
end module
